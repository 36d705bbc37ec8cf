import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the images of templates in other languages. */
export class LocalisedImages1765300060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template ADD COLUMN localised_images jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template DROP COLUMN localised_images');
  }
}
