import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the holders of a pass are to be told with its next write to Google. */
export class GoogleMessages1764000120000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource ADD message jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource DROP message');
  }
}
