import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

const indexes = {
  app_user_clear_idx: 'ON app_user (uid) WHERE personal IS NULL',
  invite_clear_idx: 'ON invite (account_id, id) WHERE personal IS NULL',
  user_identity_clear_idx: 'ON user_identity (issuer, subject) WHERE NOT is_hashed',
};

/** Adds the indexes that find users, invitations and identities stored in clear. */
export class ClearUsers1764940180000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(indexes)) await buildIndex(runner, name, definition);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${Object.keys(indexes).join(', ')}`);
  }
}
