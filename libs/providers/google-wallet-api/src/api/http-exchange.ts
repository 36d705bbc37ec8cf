import { inHttpSpan } from '@passwright/core';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  /** The body as text; null if it exceeded the limit. */
  readonly text: string | null;
  readonly retryAfterSeconds: number | null;
}

interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly responseBytes: number;
}

/** No response arrived in time; the message says why. The server may have processed the request nevertheless. */
export class NoResponse extends Error {}

const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/**
 * Sends a request and reads the whole response. Keeps connections open for later requests and does not follow
 * redirects.
 * @param responseBytes the limit for the unpacked response. The text of a longer response is null. @throws NoResponse
 */
export function exchange(request: HttpRequest, limits: ExchangeLimits): Promise<HttpResponse> {
  return inHttpSpan(request.method, new URL(request.url), async (noteStatus) => {
    const response = await send(request, limits);
    noteStatus(response.status);
    return response;
  });
}

async function send(request: HttpRequest, { timeoutMs, responseBytes }: ExchangeLimits): Promise<HttpResponse> {
  const { method, url, headers, body } = request;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  try {
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal: controller.signal });
    return {
      status: response.status,
      text: await readText(response, responseBytes),
      retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
    };
  } catch (error) {
    const why = controller.signal.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(error);
    throw new NoResponse(`${new URL(url).host}: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function readText({ body }: Response, most: number): Promise<string | null> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString();
    sizeBytes += value.length;
    if (sizeBytes > most) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

/** Reads Retry-After in seconds. Google never sends the date form. */
function secondsOf(retryAfter: string | null): number | null {
  if (!retryAfter || !/^\d{1,9}$/.test(retryAfter)) return null;
  return Math.min(Number(retryAfter), MAX_RETRY_AFTER_SECONDS);
}

/** Returns the cause of a «fetch failed» error. */
function reasonOf(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return `the connection failed (${code ?? message})`;
}
