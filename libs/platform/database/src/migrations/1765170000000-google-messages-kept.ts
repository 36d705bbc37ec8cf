import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the messages of an object: those that wait, and those at Google. The column `message` stays for nodes of earlier
 * versions that still run.
 */
export class GoogleMessagesKept1765170000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource ADD COLUMN messages jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource DROP COLUMN messages');
  }
}
