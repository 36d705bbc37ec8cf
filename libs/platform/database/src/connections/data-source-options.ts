import type { serviceClient } from './service-client.js';
import { serverUrls } from './primary.js';

/**
 * The time for which an unused connection stays open. With pg's default of ten seconds, requests would often wait for
 * new connections, which also have to plan each statement again.
 */
const IDLE_MS = 60_000;

/**
 * Returns the options of a TypeORM connection to `url`, which may name several servers. TypeORM itself reads only the
 * first one.
 */
export function dataSourceTo(
  url: string,
  Client: ReturnType<typeof serviceClient>,
): { type: 'postgres'; url: string; extra: object } {
  return {
    type: 'postgres',
    url: serverUrls(url)[0],
    extra: { Client, connectionString: url, idleTimeoutMillis: IDLE_MS },
  };
}
