import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './building-index.js';

const indexes = {
  deleted_pass_age_idx: 'deleted_pass (deleted_at, account_id, serial_number)',
  pass_mail_age_idx: 'pass_mail (created_at)',
};

/** Adds indexes that find expired tombstones and mails. */
export class OldRows1764930120000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(indexes)) {
      await buildIndex(runner, name, `ON ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(indexes)) await runner.query(`DROP INDEX ${name}`);
  }
}
