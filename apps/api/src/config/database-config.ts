import type { DatabaseOptions } from '@passwright/database';
import { variables, type Values } from './variables.js';

/** The addresses of the database, and the use of its connections. */
export interface DatabaseConfig extends Required<Omit<DatabaseOptions, 'url'>> {
  /** Null selects the embedded Postgres in the data folder. */
  readonly url: string | null;
  /** The address for what needs sessions of its own: jobs, migrations and locks. */
  readonly directUrl: string | null;
}

/** Returns the slice for the database. A direct address of its own says that the other one leads to a pooler. */
export function databaseConfig(values: Values): DatabaseConfig {
  const url = values.DATABASE_URL ?? null;
  const directUrl = values.DATABASE_DIRECT_URL ?? url;
  return {
    url,
    directUrl,
    pooled: directUrl !== url,
    preparedStatements: values.DATABASE_PREPARED_STATEMENTS === 'on',
    poolSize: values.DATABASE_POOL_SIZE,
    statementMs: values.DATABASE_STATEMENT_SECONDS * 1000,
  };
}

export function missingForDatabase(environment: Readonly<Record<string, string | undefined>>): string[] {
  if (!environment.DATABASE_DIRECT_URL || environment.DATABASE_URL) return [];
  return [`DATABASE_URL is missing; for example DATABASE_URL=${variables.DATABASE_URL.example}`];
}
