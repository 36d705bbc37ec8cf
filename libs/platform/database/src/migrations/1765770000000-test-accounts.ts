import type { MigrationInterface, QueryRunner } from 'typeorm';

const index = (columns: string) => `
  DROP INDEX account_id_founder_idx;
  CREATE INDEX account_id_founder_idx ON account (id) INCLUDE (${columns})`;

/**
 * Adds test accounts. All present accounts are live. The default lets nodes of the previous version add accounts. The
 * index that answers who founded an account now also answers whether it is a test account.
 */
export class TestAccounts1765770000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN is_test boolean NOT NULL DEFAULT false');
    await runner.query(index('founder, is_test'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(index('founder'));
    await runner.query('ALTER TABLE account DROP COLUMN is_test');
  }
}
