import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Encrypts stored responses under the caller's key, and stores the names of the resources that they mention, so that an
 * erasure finds them.
 */
export class EncryptedResponses1764800060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key ADD sealed bytea, ADD names text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM idempotency_key WHERE sealed IS NOT NULL');
    await runner.query('ALTER TABLE idempotency_key DROP sealed, DROP names');
  }
}
