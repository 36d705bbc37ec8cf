import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds an index that alone answers who founded an account. Without it the planner scans a table of a few hundred
 * accounts, or such a hash partition, because that costs no more than an index and a row.
 */
export class FounderByKey1765760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Not concurrently, which hash partitions do not support. There are few accounts, so this takes well under a second.
    await runner.query('CREATE INDEX account_id_founder_idx ON account (id) INCLUDE (founder)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_id_founder_idx');
  }
}
