import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, dropIndex } from './building-index.js';

/** Adds the indexes of the lists of messages by status and by template. The first also finds the open messages. */
export class MessageLists1765820100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, 'message_status_idx', 'ON message (account_id, status, created_at, id)');
    await buildIndex(runner, 'message_template_idx', 'ON message (account_id, template_id, created_at, id)');
    await dropIndex(runner, 'message_open_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX message_open_idx ON message (account_id) WHERE status IN ('scheduled', 'sending', 'paused');
      DROP INDEX message_template_idx;
      DROP INDEX message_status_idx;`);
  }
}
