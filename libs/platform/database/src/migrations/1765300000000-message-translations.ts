import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the texts of messages in other languages. */
export class MessageTranslations1765300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message ADD COLUMN translations jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE message DROP COLUMN translations');
  }
}
