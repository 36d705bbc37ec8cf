import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the latest time of the database's clock at which anything was written. */
export class BeatTimes1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE incarnation ADD COLUMN beaten_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE incarnation DROP COLUMN beaten_at');
  }
}
