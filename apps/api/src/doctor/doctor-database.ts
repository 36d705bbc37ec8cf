import { within } from '@passwright/core';
import {
  dataSourceTo,
  inspectConnection,
  type ConnectionReport,
  serviceClient,
  serviceName,
} from '@passwright/database';
import { DataSource } from 'typeorm';
import type { AppConfig } from '../config/config.js';
import { hasEmbeddedDatabase, startEmbeddedDatabase } from '../embedded-database.js';

/** The result of opening the database. `none` means that the embedded Postgres has no data yet. */
export type DoctorDatabase =
  | {
      readonly kind: 'open';
      readonly source: DataSource;
      /** The report about the address of the database; null for the embedded server. */
      readonly report: ConnectionReport | null;
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Limits {
  readonly limitMs: number;
  readonly schema: string | null;
}

/** The time limit for starting the embedded server. */
const EMBEDDED_MS = 30_000;

/** Opens the database, runs `work`, and closes it again. */
export async function withDatabase<T>(
  config: AppConfig,
  limitMs: number,
  work: (database: DoctorDatabase) => Promise<T>,
): Promise<T> {
  const { directUrl, schema } = config.database;
  if (directUrl) return withConfigured(directUrl, { limitMs, schema }, work);
  if (!hasEmbeddedDatabase(config)) return work({ kind: 'none' });
  const server = await within(EMBEDDED_MS, startEmbeddedDatabase(config)).catch((error: unknown) => ({ error }));
  if (server === null) return work({ kind: 'none' });
  if ('error' in server) return work({ kind: 'failed', error: server.error });
  try {
    return await withSource(server.url, { limitMs, schema, report: null }, work);
  } finally {
    await server.stop();
  }
}

/**
 * Inspects the connection before it makes settings, because a pooler in transaction mode would keep them for other
 * clients.
 */
async function withConfigured<T>(
  url: string,
  options: Limits,
  work: (database: DoctorDatabase) => Promise<T>,
): Promise<T> {
  const report = await within(options.limitMs, inspectConnection(url)).catch((error: unknown) => ({ error }));
  return 'error' in report
    ? work({ kind: 'failed', error: report.error })
    : withSource(url, { ...options, report }, work);
}

async function withSource<T>(
  url: string,
  { limitMs, schema, report }: Limits & { readonly report: ConnectionReport | null },
  work: (database: DoctorDatabase) => Promise<T>,
): Promise<T> {
  const source = new DataSource({
    ...dataSourceTo(url, serviceClient(limitMs, { pooled: report?.mode === 'transaction', schema })),
    poolSize: 3,
    connectTimeoutMS: limitMs,
    applicationName: `${serviceName(schema)} doctor`,
  });
  try {
    await within(limitMs, source.initialize());
  } catch (error) {
    return work({ kind: 'failed', error });
  }
  try {
    return await work({ kind: 'open', source, report });
  } finally {
    await within(limitMs, source.destroy()).catch(() => undefined);
  }
}
