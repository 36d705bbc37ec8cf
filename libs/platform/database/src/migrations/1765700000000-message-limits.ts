import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

/** Adds the index that counts an account's messages to many passes by their time. */
export class MessageLimits1765700000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, 'message_to_many_idx', 'ON message (account_id, created_at) WHERE pass_id IS NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX message_to_many_idx');
  }
}
