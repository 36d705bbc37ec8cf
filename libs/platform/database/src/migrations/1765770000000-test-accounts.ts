import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds test accounts. All present accounts are live. The default lets nodes of the previous version add accounts. */
export class TestAccounts1765770000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN is_test boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN is_test');
  }
}
