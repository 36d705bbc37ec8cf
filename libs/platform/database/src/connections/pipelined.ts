import type { Socket } from 'node:net';
import type { Client } from 'pg';

export interface Rows {
  readonly rows: unknown[];
}

/**
 * pg reads the property `pipeline` before each statement, but its types declare it only as an option of a new
 * connection.
 */
type PipelineClient = Client & { pipeline: boolean; readonly connection: { readonly stream: Socket } };

/** The SQL state of a statement that names a prepared statement which the connection does not have. */
const NOT_PREPARED = '26000';

/**
 * Sends all statements of `ask` in one write, and waits for all. Each is a transaction of its own, so one that fails
 * does not affect the others. They all fail with the same error only if the server could not prepare the statement that
 * they share.
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
    return withFirstError(await Promise.allSettled(results));
  } finally {
    own.pipeline = false;
  }
}

/**
 * Replaces the errors of statements that the server did not know with the error of the first statement. pg sends the
 * text only with the first statement of a name, so the failure of the first statement causes the others.
 */
function withFirstError(results: PromiseSettledResult<Rows>[]): PromiseSettledResult<Rows>[] {
  const first = results.find(({ status }) => status === 'rejected');
  return results.map((result) => (first && isNotPrepared(result) ? first : result));
}

function isNotPrepared(result: PromiseSettledResult<Rows>): boolean {
  return result.status === 'rejected' && (result.reason as { readonly code?: string }).code === NOT_PREPARED;
}
