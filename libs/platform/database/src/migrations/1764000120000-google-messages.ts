import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the messages that the next write to Google sends to the holders of a pass. */
export class GoogleMessages1764000120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource ADD message jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource DROP message');
  }
}
