import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the settings of the node that started last, so that nodes notice if they differ. */
export class NodeSettings1765810100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE incarnation ADD COLUMN node_settings jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE incarnation DROP COLUMN node_settings');
  }
}
