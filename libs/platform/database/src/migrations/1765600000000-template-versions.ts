import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the fronts that templates had before a change, so that holders at Google get messages about it. */
export class TemplateVersions1765600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE template_version (
        account_id text COLLATE "C" NOT NULL,
        template_id text COLLATE "C" NOT NULL,
        -- The last revision of the template with this front.
        revision integer NOT NULL,
        front jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (account_id, template_id, revision),
        FOREIGN KEY (account_id, template_id) REFERENCES template (account_id, id) ON DELETE CASCADE
      )`);
    await runner.query('CREATE INDEX template_version_created_idx ON template_version (created_at)');
    // The revision of the template that the holders know; null for an object that no write has compared yet.
    await runner.query('ALTER TABLE google_resource ADD COLUMN told_revision integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE google_resource DROP COLUMN told_revision');
    await runner.query('DROP TABLE template_version');
  }
}
