import type { Client, PoolClient } from 'pg';
import { noteDatabaseError } from './temporary-errors.js';

type Connected = (error: Error | undefined, ...rest: unknown[]) => void;

/** The part of pg's pool that this file uses. */
export interface NotablePool {
  connect(connected?: Connected): Promise<unknown> | void;
  on(event: 'acquire', listener: (client: PoolClient) => void): unknown;
}

/** Marks the errors of a pool as database errors. Does nothing if `serviceClient` made its connections. */
export function noteErrorsOf(pool: NotablePool): void {
  const known = new WeakSet<Pick<Client, 'on'>>();
  pool.on('acquire', (client) => {
    // pg emits an error of a connection before it rejects the statements of that connection.
    if (!known.has(client)) client.on('error', noteDatabaseError);
    known.add(client);
  });
  const connect = pool.connect.bind(pool);
  const noting = (connected?: Connected) => {
    if (!connected) return connect()?.catch((error: Error) => Promise.reject(noteDatabaseError(error)));
    return connect((error, ...rest) => connected(error && noteDatabaseError(error), ...rest));
  };
  Object.assign(pool, { connect: noting });
}
