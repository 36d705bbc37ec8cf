import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, dropIndex } from './building-index.js';

/**
 * Keeps an update of an encrypted member in its page: no index covers the ciphertext, which each update changes
 * (docs/decisions/0018). Members stay readable and writable meanwhile.
 */
export class MemberUpdates1765100060000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // Every unencrypted address contains an @, and the blind index of an encrypted address never does.
    await buildIndex(runner, 'member_in_clear_idx', `ON member (account_id, id) WHERE email LIKE '%@%'`);
    await dropIndex(runner, 'member_clear_idx');
    // Leaves room in each page for new row versions.
    await runner.query('ALTER TABLE member SET (fillfactor = 85)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE member RESET (fillfactor);
      CREATE INDEX member_clear_idx ON member (account_id, id) WHERE personal IS NULL;
      DROP INDEX member_in_clear_idx;`);
  }
}
