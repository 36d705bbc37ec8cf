import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@passwright/embedded-postgres';
import type { AppConfig } from './config/config.js';
import { stopSignals } from './stop-signals.js';

/** Returns the folder of the embedded Postgres. */
export function embeddedDatabaseFolder({ dataDir }: Pick<AppConfig, 'dataDir'>): string {
  return join(dataDir, 'postgres');
}

/** Returns true if the service has created the embedded database at an earlier start. */
export function hasEmbeddedDatabase(config: Pick<AppConfig, 'dataDir'>): boolean {
  return existsSync(join(embeddedDatabaseFolder(config), 'cluster'));
}

/** An embedded server that a signal stops before it ends the process. */
export interface EmbeddedDatabase extends EmbeddedPostgres {
  /** Leaves signals to other listeners, which then stop the server. */
  releaseSignals(): void;
}

/** Starts the embedded Postgres if `DATABASE_URL` is not set. @returns null if it is set */
export async function startEmbeddedDatabase(
  config: Pick<AppConfig, 'dataDir' | 'database'>,
): Promise<EmbeddedDatabase | null> {
  if (config.database.url) return null;
  const starting = startEmbeddedPostgres({ dataDir: embeddedDatabaseFolder(config) });
  // The server would outlive a process that a signal ends, even during the start.
  const end = (signal: NodeJS.Signals) =>
    void starting
      .then((server) => server.stop())
      .catch(() => undefined)
      .finally(() => process.exit(128 + constants.signals[signal]));
  // A second signal ends the process immediately.
  for (const signal of stopSignals) process.once(signal, end);
  const releaseSignals = () => {
    for (const signal of stopSignals) process.off(signal, end);
  };
  try {
    const server = await starting;
    return { ...server, releaseSignals, stop: () => server.stop().finally(releaseSignals) };
  } catch (error) {
    releaseSignals();
    throw error;
  }
}
