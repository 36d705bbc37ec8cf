import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['webhook_delivery', 'apple_push_page'];

/** Adds the process that made the latest claim on a row. */
export class Claimants1765130000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} ADD COLUMN claimed_by integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} DROP COLUMN claimed_by`);
  }
}
