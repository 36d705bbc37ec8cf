import { migrations as passwright } from '@passwright/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { museumMigrations } from './museum/museum.migrations.js';

class Visitors1764600000000 implements MigrationInterface {
  readonly name = 'Visitors1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE venues (name text PRIMARY KEY, account_id text NOT NULL)');
    await runner.query(
      'CREATE TABLE visitors (id text PRIMARY KEY, full_name text NOT NULL, created_at timestamptz NOT NULL DEFAULT now())',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE visitors, venues');
  }
}

/** The migrations of Passwright and of this app, in one history. */
export const migrations = [...passwright, ...museumMigrations, Visitors1764600000000];
