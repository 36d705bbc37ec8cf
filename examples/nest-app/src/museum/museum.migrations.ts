import type { MigrationInterface, QueryRunner } from 'typeorm';

class Exhibits1764000000000 implements MigrationInterface {
  readonly name = 'Exhibits1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE exhibits (id serial PRIMARY KEY, title text NOT NULL, room_number integer NOT NULL)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE exhibits');
  }
}

/** The migrations of the app before it imported Passwright. */
export const museumMigrations = [Exhibits1764000000000];
