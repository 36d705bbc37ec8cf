import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the end of an event, the opening of its doors, and the date of a start without a time of day. */
export class EventTimes1765140000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE template ADD COLUMN start_day text, ADD COLUMN end_date timestamptz(3),
        ADD COLUMN doors_open timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template DROP COLUMN start_day, DROP COLUMN end_date, DROP COLUMN doors_open');
  }
}
