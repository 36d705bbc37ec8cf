import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

/**
 * The index by which members' passes that are stored in clear are found. It has no column that an ordinary change of a
 * pass touches, and is built while passes are read and written.
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
