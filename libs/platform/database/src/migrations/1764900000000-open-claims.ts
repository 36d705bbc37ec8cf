import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables = ['webhook_delivery', 'apple_push_page', 'google_resource'];

/** Adds the number of claims on a row since its last recorded result. */
export class OpenClaims1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN open_claims smallint NOT NULL DEFAULT 0`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(`ALTER TABLE ${table} DROP COLUMN open_claims`);
  }
}
