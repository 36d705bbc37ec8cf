import type { DatabaseOptions } from '@passwright/database';
import { variables, type Values } from './variables/variables.js';
import { FEWEST_CONNECTIONS } from './worker-count.js';

/** The addresses of the database, and the settings of its connections. */
export interface DatabaseConfig extends Required<Omit<DatabaseOptions, 'url'>> {
  /** Null selects the embedded Postgres in the data folder. */
  readonly url: string | null;
  /** The address for jobs, migrations and locks. These need sessions, so the address must not lead to a pooler. */
  readonly directUrl: string | null;
}

/**
 * Returns the database options of one process. Assumes that DATABASE_URL leads to a pooler if DATABASE_DIRECT_URL
 * differs from it.
 * @param workers how many processes share the node's connections
 */
export function databaseConfig(values: Values, workers: number): DatabaseConfig {
  const url = values.DATABASE_URL ?? null;
  const directUrl = values.DATABASE_DIRECT_URL ?? url;
  return {
    url,
    directUrl,
    pooled: directUrl !== url,
    replicaUrl: values.DATABASE_REPLICA_URL ?? null,
    schema: values.DATABASE_SCHEMA ?? null,
    preparedStatements: values.DATABASE_PREPARED_STATEMENTS === 'on',
    poolSize: Math.max(FEWEST_CONNECTIONS, Math.floor(values.DATABASE_POOL_SIZE / workers)),
    statementMs: values.DATABASE_STATEMENT_SECONDS * 1000,
  };
}

export function missingForDatabase(environment: Readonly<Record<string, string | undefined>>): string[] {
  const { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URL } = environment;
  if (DATABASE_URL || !(DATABASE_DIRECT_URL || DATABASE_REPLICA_URL)) return [];
  return [`DATABASE_URL is missing; for example DATABASE_URL=${variables.DATABASE_URL.example}`];
}
