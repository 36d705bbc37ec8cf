import createClient from 'openapi-fetch';
import { answerError, unexpectedAnswer } from './answer-error.js';
import { operations, version } from './generated/operations.js';
import type { CallOptions, PasswrightOptions } from './options.js';
import { ConnectionFailed, PasswrightError, TimedOut } from './passwright-error.js';
import { randomId } from './random-id.js';
import { withRetries } from './retries.js';

export type OperationId = keyof typeof operations;

/** A call as it is made: the parameters side by side with the body and the options. */
export interface Call extends CallOptions {
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly [parameter: string]: unknown;
}

/** An answer of 2xx. */
export interface Answer {
  /** The body: parsed where it is JSON, text where it is text, else bytes; undefined when there is none. */
  readonly value: unknown;
  readonly response: Response;
}

/** What openapi-fetch is asked for. */
interface Sent {
  readonly params: object;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string | FormData | undefined;
  readonly signal: AbortSignal;
}
type Request = (method: string, path: string, sent: Sent) => Promise<{ response: Response; error?: unknown }>;

// A `fetch` of the caller's own takes an address and what to send; it may refuse a Request that is not of its own making.
class PlainRequest {
  constructor(url: string, init: object) {
    Object.assign(this, init, { url });
  }
}

/** Makes calls by their operation ids, and reads the answers. */
export class Transport {
  readonly #options: PasswrightOptions;
  readonly #request: Request;

  constructor(options: PasswrightOptions) {
    this.#options = options;
    const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init));
    const client = createClient<object>({
      // `/v1` stands in the paths already.
      baseUrl: options.baseUrl.replace(/\/(v1\/?)?$/, ''),
      Request: PlainRequest as unknown as typeof globalThis.Request,
      fetch: (request) => send(request.url, request),
      bodySerializer: (body) => body as unknown,
    });
    this.#request = client.request as unknown as Request;
  }

  /**
   * Repeats what may be repeated: reads, and writes whose Idempotency-Key keeps them from being done twice.
   * @throws PasswrightError, or the reason of the signal
   */
  call(id: OperationId, call: Call): Promise<Answer> {
    const [method, , trait] = operations[id] as readonly [string, string, string?];
    const idempotencyKey = trait === 'keyed' ? (call.idempotencyKey ?? randomId()) : undefined;
    const repeatable = idempotencyKey !== undefined || !/^P(OST|ATCH)$/.test(method);
    const attempt = () => this.attempt(id, { ...call, idempotencyKey });
    return withRetries(attempt, repeatable ? this.retries(call) : 0, call.signal);
  }

  /** How often a call is repeated at most. */
  retries({ retries = this.#options.retries ?? 3 }: CallOptions): number {
    return retries;
  }

  /** Once, within its time. @param contentType of a body that is text already */
  async attempt(id: OperationId, call: Call, contentType?: string): Promise<Answer> {
    const [method, path, trait] = operations[id] as readonly [string, string, string?];
    const { body, idempotencyKey, ifMatch, signal, timeoutMs = this.#options.timeoutMs ?? 30_000, ...rest } = call;
    const sent = {
      params: parametersOf(id, path, rest),
      headers: {
        ...(await this.#ownHeaders()),
        'Content-Type': contentType,
        'Idempotency-Key': idempotencyKey,
        'If-Match': ifMatch,
      },
      body: contentType || body instanceof FormData ? (body as string | FormData) : JSON.stringify(body),
    };
    return within(id, timeoutMs, signal, async (ending) => {
      const { response, error } = await this.#request(method, path, { ...sent, signal: ending, ...asStream });
      if (!response.ok) throw answerError(error, response);
      return { value: await valueOf(response, contentType ? 'lines' : trait), response };
    });
  }

  async #ownHeaders(): Promise<Record<string, string | undefined>> {
    const { token, userAgent } = this.#options;
    const bearer = typeof token === 'function' ? await token() : token;
    // A page does not say which program it is.
    const agent = !('document' in globalThis) ? `passwright-client/${version}` : undefined;
    return { Authorization: bearer && `Bearer ${bearer}`, 'User-Agent': userAgent ?? agent };
  }
}

/** Leaves the body to us. */
const asStream = { parseAs: 'stream' };

/** By the names in the path; all others belong into the query. */
function parametersOf(id: string, path: string, { retries: _, ...given }: Readonly<Record<string, unknown>>) {
  const inPath: Record<string, unknown> = {};
  const query = { ...given };
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = given[name];
    // Any of these would make it the path of another operation.
    if ([undefined, null, '', '.', '..'].includes(value as string)) {
      throw new TypeError(`${id} needs ${name}, not ${JSON.stringify(value)}.`);
    }
    inPath[name] = value;
    delete query[name];
  }
  return { path: inPath, query };
}

/** @throws TimedOut, ConnectionFailed, or the reason of the signal */
async function within<T>(
  id: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  exchange: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // Not AbortSignal.any, which some versions of Node keep for as long as the caller's signal lives.
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end);
  try {
    return await exchange(ending.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PasswrightError) throw error;
    if (ending.signal.aborted) throw new TimedOut(`No answer to ${id} within ${timeoutMs} ms.`, { code: 'timed_out' });
    const { message, cause } = error as Error;
    const said = cause instanceof Error ? `${message}: ${cause.message || String(cause)}` : message;
    throw new ConnectionFailed(`No answer to ${id}: ${said}`, { code: 'connection_failed', cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** @throws UnexpectedAnswer for something else than was asked for, such as a page where JSON should be */
async function valueOf(response: Response, kind: string | undefined): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  if (/[/+]json/.test(type)) return response.json();
  if (kind === 'media' && !/^text\/|xml/.test(type)) return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  if (text && kind !== 'media' && !(kind === 'lines' && /ndjson/.test(type))) throw unexpectedAnswer(text, response);
  return text || undefined;
}
