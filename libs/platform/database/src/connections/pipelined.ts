import type { Socket } from 'node:net';
import type { Client } from 'pg';

export interface Rows {
  readonly rows: unknown[];
}

/** pg reads `pipeline` with each statement, although its types know it only as an option of a new connection. */
type PipelineClient = Client & { pipeline: boolean; readonly connection: { readonly stream: Socket } };

/**
 * Sends all statements of `ask` in one write, and waits for all. Each is a transaction of its own, so one that fails
 * does not affect the others.
 */
export async function pipelined(
  client: Client,
  ask: () => readonly Promise<Rows>[],
): Promise<PromiseSettledResult<Rows>[]> {
  const own = client as PipelineClient;
  const { stream } = own.connection;
  own.pipeline = true;
  try {
    stream.cork();
    const results = ask();
    stream.uncork();
    return await Promise.allSettled(results);
  } finally {
    own.pipeline = false;
  }
}
