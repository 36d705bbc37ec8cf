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
 * Sends all statements of `ask` in one write, and waits for all. Each statement is a transaction of its own, so it can
 * fail alone. If the server cannot prepare the shared statement, all fail with the same error.
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
 * Replaces the error "unknown statement" with the error of the first statement. pg sends the text only with the first
 * statement of a name, so its failure causes the others.
 */
function withFirstError(results: PromiseSettledResult<Rows>[]): PromiseSettledResult<Rows>[] {
  const first = results.find(({ status }) => status === 'rejected');
  return results.map((result) => (first && isNotPrepared(result) ? first : result));
}

function isNotPrepared(result: PromiseSettledResult<Rows>): boolean {
  return result.status === 'rejected' && (result.reason as { readonly code?: string }).code === NOT_PREPARED;
}
