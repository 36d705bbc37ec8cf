import { setTimeout as pause } from 'node:timers/promises';

const TIMES = 20;

/** A response of `fetch` or of supertest. */
interface AnyResponse {
  readonly status: number;
  readonly headers: Headers | Readonly<Record<string, string>>;
}

/**
 * Repeats a request while the node is too busy: after the `Retry-After` of a 503, at most 20 times. On a slow machine,
 * a burst of requests may exceed the five seconds that a node lets a request wait.
 */
export async function repeatWhileBusy<Response extends AnyResponse>(
  send: () => PromiseLike<Response>,
): Promise<Response> {
  for (let times = 1; ; times++) {
    const response = await send();
    const { status, headers } = response;
    const seconds = headers instanceof Headers ? headers.get('retry-after') : (headers['retry-after'] ?? null);
    if (status !== 503 || seconds === null || times === TIMES) return response;
    await pause(Number(seconds) * 1000);
  }
}
