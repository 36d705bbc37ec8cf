import { responseError, isRedirect, jsonOf, redirected, unexpectedResponse } from './response-error.js';
import { operations, version } from './generated/operations.js';
import type { CallOptions, PasswrightOptions } from './options.js';
import { ConnectionFailed, PasswrightError, TimedOut } from './passwright-error.js';
import { randomId } from './random-id.js';
import { mergedHeaders } from './request-headers.js';
import { serviceAddress, requestUrl } from './request-url.js';
import { HookFailed, withRetries } from './retries.js';

/** The longest time of a timer. With a longer time, for example Infinity, a timer ends at once. */
const MOST_TIMEOUT_MS = 2 ** 31 - 1;

export type OperationId = keyof typeof operations;

/** The parameters, the body and the options of a call in one object. */
export interface Call extends CallOptions {
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly [parameter: string]: unknown;
}

/** A response with status 2xx. */
export interface ApiResponse {
  /** The body: parsed JSON, text, or bytes; undefined if there is none. */
  readonly value: unknown;
  readonly response: Response;
}

/** Makes calls by operation id and reads the responses. */
export class Transport {
  readonly #options: PasswrightOptions;
  readonly #baseUrl: string;

  /** @throws TypeError if `baseUrl` is not an address */
  constructor(options: PasswrightOptions) {
    this.#options = options;
    this.#baseUrl = serviceAddress(options.baseUrl);
  }

  /**
   * Makes a call. Retries only calls that can have no second effect: with an `Idempotency-Key`, and with any method
   * except POST and PATCH.
   * @throws PasswrightError, or the reason of the abort signal
   */
  call(id: OperationId, call: Call): Promise<ApiResponse> {
    const [method = '', , trait] = operations[id].split(' ');
    const newKey = trait === 'keyed' ? randomId() : undefined;
    const repeatable = newKey !== undefined || !/^P(OST|ATCH)$/.test(method);
    const attempt = () => this.attempt(id, call, undefined, newKey);
    return withRetries(attempt, repeatable ? this.retries(call) : 0, call.signal);
  }

  /** Returns the maximum number of retries of a call. */
  retries({ retries = this.#options.retries ?? 3 }: CallOptions): number {
    return retries;
  }

  /**
   * Makes one attempt within its time limit.
   * @param contentType the type of a body that is already text
   * @param newKey the idempotency key for a call without one
   */
  async attempt(id: OperationId, call: Call, contentType?: string, newKey?: string): Promise<ApiResponse> {
    const [method = '', path = '', trait] = operations[id].split(' ');
    const { body, idempotencyKey, ifMatch, headers: added, retries: _, signal, timeoutMs, ...parameters } = call;
    const url = requestUrl(id, this.#baseUrl, path, parameters);
    const isForm = body instanceof FormData;
    const given = mergedHeaders(await this.#ownHeaders(), added, {
      // Leave the content type of a form to fetch, because it must contain the boundary.
      'Content-Type': isForm ? '' : (contentType ?? (body === undefined ? undefined : 'application/json')),
      'Idempotency-Key': idempotencyKey || undefined,
      'If-Match': ifMatch,
    });
    // An empty key counts as absent, because a call without a key must not be repeated.
    const headers = mergedHeaders({ 'Idempotency-Key': newKey }, given);
    const sent = isForm || contentType ? (body as FormData | string) : JSON.stringify(body);
    const { fetch: send = fetch, onRequest, onResponse, timeoutMs: preset = 30_000 } = this.#options;
    signal?.throwIfAborted();
    runHook(() => onRequest?.({ operation: id, method, url, headers }));
    return within(id, timeoutMs ?? preset, signal, async (ending) => {
      const startedAt = performance.now();
      // Do not follow redirects, which could send the body to another address or turn a POST into a GET.
      const response = await send(url, { method, headers, body: sent, signal: ending, redirect: 'manual' });
      const durationMs = performance.now() - startedAt;
      try {
        const { status, headers: got } = response;
        runHook(() => onResponse?.({ operation: id, method, url, status, headers: got, durationMs }));
        if (isRedirect(response)) throw redirected(url, response);
        if (!response.ok) throw await responseErrorOf(response);
        return { value: await valueOf(response, contentType ? 'lines' : trait), response };
      } finally {
        // Free the connection if the body is unread. The app's own `fetch` may return a body of another class.
        const unread = response.body as Partial<ReadableStream> | null;
        unread?.cancel?.().catch(() => undefined);
      }
    });
  }

  async #ownHeaders(): Promise<Record<string, string | undefined>> {
    const { token, userAgent } = this.#options;
    const bearer = typeof token === 'function' ? await token() : token;
    // Browser pages keep the browser's user agent.
    const agent = !('document' in globalThis) ? `passwright-client/${version}` : undefined;
    return { Authorization: bearer && `Bearer ${bearer}`, 'User-Agent': userAgent ?? agent };
  }
}

/** Runs a hook of the app. @throws HookFailed */
function runHook(hook: () => void): void {
  try {
    hook();
  } catch (error) {
    throw new HookFailed(error);
  }
}

/** Runs work within a time limit. @throws TimedOut, ConnectionFailed, or the reason of the abort signal */
async function within<T>(
  id: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  exchange: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  // Do not use AbortSignal.any, which leaks memory in some versions of Node.
  const ending = new AbortController();
  const end = () => ending.abort();
  // This reason tells the app's own `fetch`, which may log requests, that the time limit ended the request.
  const late = () => ending.abort(new TimedOut(`No response to ${id} within ${timeoutMs} ms.`, { code: 'timed_out' }));
  const timer = setTimeout(late, Math.min(timeoutMs, MOST_TIMEOUT_MS));
  signal?.addEventListener('abort', end);
  try {
    return await exchange(ending.signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof HookFailed || error instanceof PasswrightError) throw error;
    if (ending.signal.aborted) throw ending.signal.reason;
    const { message, cause } = error as Error;
    const said = cause instanceof Error ? `${message}: ${cause.message || String(cause)}` : message;
    throw new ConnectionFailed(`No response to ${id}: ${said}`, { code: 'connection_failed', cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

async function responseErrorOf(response: Response): Promise<PasswrightError> {
  const text = await response.text();
  return responseError(jsonOf(text) ?? text, response);
}

/** Reads the body. @throws UnexpectedResponse for an unexpected content type, such as HTML instead of JSON */
async function valueOf(response: Response, kind: string | undefined): Promise<unknown> {
  const type = response.headers.get('Content-Type') ?? '';
  if (/[/+]json/.test(type)) {
    const said = await response.text();
    const value = jsonOf(said);
    if (value === undefined) throw unexpectedResponse(said, response);
    return value;
  }
  if (kind === 'media' && !/^text\/|xml/.test(type)) return new Uint8Array(await response.arrayBuffer());
  const text = await response.text();
  if (text && kind !== 'media' && !(kind === 'lines' && /ndjson/.test(type))) throw unexpectedResponse(text, response);
  return text || undefined;
}
