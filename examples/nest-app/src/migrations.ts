import { migrations as passwright } from '@passwright/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

class Visitors1764600000000 implements MigrationInterface {
  readonly name = 'Visitors1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE venue (name text PRIMARY KEY, "accountId" text NOT NULL)');
    await runner.query(
      'CREATE TABLE visitor (id text PRIMARY KEY, "fullName" text NOT NULL, "createdAt" timestamptz NOT NULL DEFAULT now())',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE visitor, venue');
  }
}

/** One migration history: Passwright's and this app's own. */
export const migrations = [...passwright, Visitors1764600000000];
