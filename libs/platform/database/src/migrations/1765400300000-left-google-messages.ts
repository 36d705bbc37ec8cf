import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

/**
 * Adds the index that finds objects with a waiting message but no due time. Nodes of an earlier version leave such
 * objects.
 */
export class LeftGoogleMessages1765400300000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(
      runner,
      'google_resource_left_idx',
      `ON google_resource (account_id)
       WHERE due_at IS NULL AND jsonb_path_exists(messages, '$[*] ? (!exists(@.addedAt))')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX google_resource_left_idx');
  }
}
