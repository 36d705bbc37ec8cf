import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@passwright/embedded-postgres';
import type { AppConfig } from './config/config.js';

/** Returns the folder of the embedded Postgres. */
export function embeddedDatabaseFolder({ dataDir }: Pick<AppConfig, 'dataDir'>): string {
  return join(dataDir, 'postgres');
}

/** Returns true if the service has created the embedded database at an earlier start. */
export function hasEmbeddedDatabase(config: Pick<AppConfig, 'dataDir'>): boolean {
  return existsSync(join(embeddedDatabaseFolder(config), 'cluster'));
}

/** Starts the embedded Postgres if `DATABASE_URL` is not set. @returns null if it is set */
export async function startEmbeddedDatabase(
  config: Pick<AppConfig, 'dataDir' | 'database'>,
): Promise<EmbeddedPostgres | null> {
  if (config.database.url) return null;
  return startEmbeddedPostgres({ dataDir: embeddedDatabaseFolder(config) });
}
