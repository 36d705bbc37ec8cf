import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each hour deletes a 25th of the rows of `idempotency_key`: a vacuum lets the next hour's rows have their room. */
export class IdempotencyVacuum1765000060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key SET (autovacuum_vacuum_scale_factor = 0.03)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_key RESET (autovacuum_vacuum_scale_factor)');
  }
}
