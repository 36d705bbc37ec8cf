import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds an index that contains the founder of each account. Without it, the planner scans a table or hash partition of a
 * few hundred accounts, because a scan costs no more than reading an index and a row.
 */
export class FounderByKey1765760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Hash partitions do not support a concurrent build. With few accounts, this build takes less than a second.
    await runner.query('CREATE INDEX account_id_founder_idx ON account (id) INCLUDE (founder)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_id_founder_idx');
  }
}
