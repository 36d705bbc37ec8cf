import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the results of messages at Google Wallet. */
export class MessageOutcomes1765400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The number of passes by outcome.
      ALTER TABLE message ADD COLUMN google_outcomes jsonb NOT NULL DEFAULT '{}';
      -- Null: the pass has no object at Google.
      ALTER TABLE message_recipient ADD COLUMN google_outcome text;`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE message_recipient DROP COLUMN google_outcome;
      ALTER TABLE message DROP COLUMN google_outcomes;`);
  }
}
