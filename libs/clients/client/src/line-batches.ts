import { responseError, jsonOf, unexpectedResponse } from './response-error.js';
import { chunksOf, type Lines } from './line-chunks.js';
import type { Unset } from './operation-methods.js';
import type { CallOptions } from './options.js';
import { ConnectionFailed, PasswrightError } from './passwright-error.js';
import { withRetries } from './retries.js';
import type { Transport } from './transport.js';

/**
 * The parameters of a batch. The client sends up to 1,000 lines per request, one request after the other, and yields
 * the results before it reads further lines. If a response breaks off, the client sends the remaining lines again. A
 * line that was already processed then has `existing: true`. `timeoutMs` applies to one request. Default: 300,000.
 */
export type BatchRequest<Parameters> = Unset<Parameters> & CallOptions;

/** The result of the line with the number `index`, counted from 0. */
export type BatchLine<Done> = ({ index: number; error?: undefined } & Done) | { index: number; error: PasswrightError };

/** A serialised line of a request. */
export interface SentLine {
  readonly text: string;
  /** True if this client generated the id of the pass, so that no other program can have created it. */
  readonly isNew: boolean;
}
type LineResponse = Record<string, unknown>;

const SLOW_MS = 300_000;

/** Sends lines to an operation that returns a result for each line. */
export class LineBatches {
  constructor(
    private readonly transport: Transport,
    private readonly id: 'createPasses' | 'importMembers',
    private readonly request: BatchRequest<{ existing?: 'error' | 'skip' }>,
  ) {}

  /**
   * Yields the result of each line.
   * @throws PasswrightError if a whole request fails. Lines with a result have been processed
   */
  async *results<Line, Done>(
    lines: Lines<Line>,
    toSent: (line: Line) => SentLine,
  ): AsyncGenerator<BatchLine<Done>, void, undefined> {
    let start = 0;
    for await (const chunk of chunksOf(sentLines(lines, toSent))) {
      const responses = await this.send(chunk);
      for (const [offset, reply] of responses.entries()) yield { ...reply, index: start + offset } as BatchLine<Done>;
      start += chunk.length;
    }
  }

  /** Sends lines in one request. @returns a result for each line */
  private async send(lines: readonly SentLine[]): Promise<LineResponse[]> {
    const responses: LineResponse[] = [];
    let { existing } = this.request;
    const attempt = async () => {
      const rest = lines.slice(responses.length);
      const body = rest.map(({ text }) => `${text}\n`).join('');
      try {
        const call = { ...this.request, timeoutMs: this.request.timeoutMs ?? SLOW_MS, existing, body };
        const { value, response } = await this.transport.attempt(this.id, call, 'application/x-ndjson');
        const whole = ((value as string | undefined) ?? '').split('\n').slice(0, -1);
        for (const line of whole) responses.push(outcomeOf(line, response));
        if (whole.length < rest.length) throw brokenOff(this.id, whole.length, rest.length);
      } catch (error) {
        if (mayBeDone(error)) existing = 'skip';
        throw error;
      }
    };
    await withRetries(attempt, this.transport.retries(this.request), this.request.signal);
    return responses.map(({ existing: known, ...reply }, at) =>
      known && !lines[at]?.isNew ? { ...reply, existing: known } : reply,
    );
  }
}

function sentLines<Line>(lines: Lines<Line>, toSent: (line: Line) => SentLine): Lines<SentLine> {
  return Symbol.asyncIterator in lines ? sentStream(lines, toSent) : sentList(lines, toSent);
}

function* sentList<Line>(lines: Iterable<Line>, toSent: (line: Line) => SentLine) {
  for (const line of lines) yield toSent(line);
}

async function* sentStream<Line>(lines: AsyncIterable<Line>, toSent: (line: Line) => SentLine) {
  for await (const line of lines) yield toSent(line);
}

/** Parses a response line. @throws UnexpectedResponse for a malformed line */
function outcomeOf(text: string, response: Response): LineResponse {
  const line = jsonOf(text);
  if (typeof line !== 'object' || line === null) throw unexpectedResponse(text, response);
  return 'statusCode' in line ? { error: responseError(line, response) } : { ...line };
}

/** Returns the error for a response that ended early, for example because the node shuts down. */
function brokenOff(id: string, done: number, sent: number): ConnectionFailed {
  const message = `The answer to ${id} ended after ${done} of ${sent} lines.`;
  return new ConnectionFailed(message, { code: 'connection_failed' });
}

/** Returns true if the service may have processed lines despite the error. It processes no line of a rejected request. */
function mayBeDone(error: unknown): boolean {
  if (!(error instanceof PasswrightError)) return false;
  return (
    ['connection_failed', 'timed_out'].includes(error.code) || error.statusCode === 502 || error.statusCode === 504
  );
}
