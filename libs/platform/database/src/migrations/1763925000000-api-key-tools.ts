import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the tools that agents may use with an API key; null means all tools. */
export class ApiKeyTools1763925000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key ADD tools text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key DROP tools');
  }
}
