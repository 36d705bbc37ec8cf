import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the quiet hours of accounts, in which no message is sent to holders. */
export class MessageSettings1765181000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE message_settings (
        account_id text COLLATE "C" NOT NULL REFERENCES account (id),
        time_zone text NOT NULL,
        -- Local times, such as '22:00'; null: no quiet hours.
        quiet_from text,
        quiet_until text,
        updated_at timestamptz(3) NOT NULL,
        PRIMARY KEY (account_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE message_settings');
  }
}
