import type { PassRequest, Passwright } from '@passwright/client';
import { counted } from '../../number-format.js';
import { type Backoff, TryAgain } from './backoff.js';
import type { RowResult } from './result-file.js';
import type { Row } from '../rows/table-file.js';

/** A row that is ready to be sent, or the reason why it cannot be sent. */
export type Prepared =
  | {
      readonly row: Row;
      readonly pass: PassRequest & { readonly id: string };
      /** True if this import derived the id. An existing pass with this id then comes from an earlier attempt. */
      readonly isIdOurs?: boolean;
    }
  | { readonly row: Row; readonly problem: string };

/** The result of a row, with the error code of a failure. */
export interface SentRow extends RowResult {
  /** The code of the error, without its message. */
  readonly code?: string;
  /** True if the row contained the id and the pass already existed. */
  readonly existing?: boolean;
}

const TIMEOUT_MS = 120_000;
/** The number of attempts for a line. Attempts while the service is unavailable do not count. */
const MOST_TRIES = 8;

/** Sends rows and waits for all results. Each row has an id, so that a repeated row creates no second pass. */
export class RowSender {
  constructor(
    private readonly client: Passwright,
    private readonly templateId: string,
    private readonly backoff: Backoff,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends rows. @returns one result for each row, in order */
  async send(rows: readonly Prepared[]): Promise<SentRow[]> {
    const results = new Map<Row, SentRow>();
    for (const prepared of rows) {
      if ('problem' in prepared) results.set(prepared.row, failed(prepared.row, 'row_unreadable', prepared.problem));
    }
    let left = rows.filter((prepared) => 'pass' in prepared);
    let tries = 0;
    await this.backoff.untilDone(async () => {
      tries++;
      const again: typeof left = [];
      const passing = left.map(({ pass }) => pass);
      for await (const response of this.client.createPassesFrom(this.request(), passing)) {
        const sent = left[response.index];
        if (!sent) throw new Error(`there is a result for line ${response.index}, which was not sent`);
        const { error } = response;
        if (error && isPassing(error.statusCode) && tries < MOST_TRIES) again.push(sent);
        else if (error) results.set(sent.row, failed(sent.row, error.code, error.message));
        else results.set(sent.row, done(sent, response));
      }
      left = again;
      if (left.length > 0) throw new TryAgain(`${counted(left.length, 'row')} could not be processed this time`);
    });
    return rows.map(({ row }) => results.get(row) ?? failed(row, 'internal', 'The service returned no result for it'));
  }

  private request() {
    const { templateId, signal } = this;
    // Disable the client's retries, because this class retries the lines without a result.
    return { templateId, existing: 'skip', retries: 0, timeoutMs: TIMEOUT_MS, signal } as const;
  }
}

function isPassing(statusCode: number): boolean {
  return statusCode === 429 || statusCode >= 500;
}

function failed(row: Row, code: string, message: string): SentRow {
  return { row, code, error: `${code}: ${message}` };
}

function done(
  { row, isIdOurs = false }: Extract<Prepared, { pass: object }>,
  { id, walletAUrl, walletBUrl, webUrl, existing = false }: Omit<RowResult, 'row'> & { existing?: boolean },
): SentRow {
  return { row, id, walletAUrl, walletBUrl, webUrl, ...(existing && !isIdOurs && { existing }) };
}
