import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tunes the vacuum of `idempotency_key`. Each hour, a 25th of the rows is deleted, and a vacuum frees their space for
 * the rows of the next hour.
 */
export class IdempotencyVacuum1765000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key SET (autovacuum_vacuum_scale_factor = 0.03)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key RESET (autovacuum_vacuum_scale_factor)');
  }
}
