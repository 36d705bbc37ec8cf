import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the language of a template's texts, and its texts in other languages. */
export class TemplateTranslations1765160000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template ADD COLUMN language text, ADD COLUMN translations jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template DROP COLUMN language, DROP COLUMN translations');
  }
}
