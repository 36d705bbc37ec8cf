import type { serviceClient } from './service-client.js';
import { serverUrls } from './primary.js';

/**
 * Returns the options of a TypeORM connection to `url`, which may name several servers. TypeORM itself reads only the
 * first one.
 */
export function dataSourceTo(
  url: string,
  Client: ReturnType<typeof serviceClient>,
): { type: 'postgres'; url: string; extra: object } {
  return { type: 'postgres', url: serverUrls(url)[0], extra: { Client, connectionString: url } };
}
