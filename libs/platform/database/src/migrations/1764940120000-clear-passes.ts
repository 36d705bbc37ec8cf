import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

/**
 * Adds the index that finds members' passes stored in clear. It covers no column that ordinary changes touch, and is
 * built while passes are read and written.
 */
export class ClearPasses1764940120000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const definition = `ON pass (account_id, serial_number) WHERE follows = 'member' AND personal IS NULL`;
    await buildIndex(runner, 'pass_clear_idx', definition);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX pass_clear_idx');
  }
}
