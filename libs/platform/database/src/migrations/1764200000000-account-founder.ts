import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the user who founded an account. Together, all accounts of a founder get one fair share of each node. */
export class AccountFounder1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- No foreign key: the user may be deleted, and the accounts still belong together.
      ALTER TABLE account ADD COLUMN founder text COLLATE "C";
      CREATE INDEX account_founder_idx ON account (founder) WHERE founder IS NOT NULL;
      UPDATE account SET founder = event.actor_id FROM audit_event AS event
        WHERE event.account_id = account.id AND event.action = 'account.created' AND event.actor_kind = 'user'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN founder');
  }
}
