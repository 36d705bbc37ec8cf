import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

const indexes = {
  pass_group_idx: `(account_id, (pass_group ->> 'id'), ((pass_group ->> 'order')::integer), template_id, id)
    WHERE pass_group IS NOT NULL`,
  // Serial numbers, unlike the ids that callers choose, are never the same in two accounts.
  pass_linked_idx: `USING gin (jsonb_path_query_array(linked_passes, '$[*].serialNumber') jsonb_path_ops)
    WHERE linked_passes IS NOT NULL`,
};

/** Adds indexes that find the passes of a group in their order, and the passes that link to a pass. */
export class PassGroupIndexes1765200060000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, definition] of Object.entries(indexes)) await buildIndex(runner, name, `ON pass ${definition}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(indexes)) await runner.query(`DROP INDEX ${name}`);
  }
}
