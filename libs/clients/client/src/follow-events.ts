import type { CallOptions } from './options.js';
import type { Passwright } from './passwright.js';
import type { WebhookEvent } from './webhook-events.js';

/** The events of one response, oldest first. `data` may be empty, while `cursor` is always set. */
export interface WebhookEventPage {
  data: WebhookEvent[];
  /** The position after these events. Store it after you have processed the events, even if `data` is empty. */
  cursor: string;
}

/** The webhook to follow, and the position to begin at. */
export interface FollowRequest extends CallOptions {
  readonly webhookId: string;
  /** The last cursor that you stored. */
  readonly cursor?: string | undefined;
  /** Where to begin without a `cursor`. Default: `oldest`. */
  readonly from?: 'oldest' | 'now' | undefined;
  /** The maximum number of events per page, 1 to 100. Default: 100. */
  readonly limit?: number | undefined;
}

/** The number of seconds that the service waits for an event. It is below 30 s, the timeout of many proxies. */
const WAIT_SECONDS = 25;

/**
 * Yields the events of a webhook, then waits for new ones. Ends only if the caller leaves the loop or a call fails.
 * @throws PasswrightError, or the reason of the abort signal
 */
export async function* followEvents(
  passwright: Pick<Passwright, 'listWebhookEvents'>,
  request: FollowRequest,
): AsyncGenerator<WebhookEventPage, void, undefined> {
  let { cursor } = request;
  const { limit = 100, timeoutMs = (WAIT_SECONDS + 15) * 1000 } = request;
  const call = Object.assign({ limit }, request, { limit, timeoutMs, wait: WAIT_SECONDS });
  for (;;) {
    const page = await passwright.listWebhookEvents({ ...call, cursor });
    yield page as unknown as WebhookEventPage;
    ({ cursor } = page);
  }
}
