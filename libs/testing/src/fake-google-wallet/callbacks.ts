import { randomUUID } from 'node:crypto';
import { CallbackSigning, type CallbackForgery, type CallbackMessage } from './callback-signing.js';
import type { OutgoingHttp } from './outgoing-http.js';

const TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 1 << 20;
const ATTEMPTS = 5;
const VALID_MS = 60 * 60 * 1000;

/** One attempt to deliver a callback. */
export interface SentCallback extends CallbackMessage {
  readonly url: string;
  /** The exact body that was sent. */
  readonly body: string;
  readonly forgery: CallbackForgery | null;
  readonly at: Date;
  /** The status of the receiver's response; null if there was none. */
  readonly status: number | null;
}

/** The content and receiver of a callback. */
export interface CallbackEvent {
  readonly url: string;
  readonly issuerId: string;
  readonly classId: string;
  readonly objectId: string;
  readonly eventType: 'save' | 'del';
}

/**
 * Delivers callbacks. Retries a response that is not 2xx with the same nonce and a higher count, up to five attempts.
 */
export class Callbacks {
  readonly log: SentCallback[] = [];
  readonly signing: CallbackSigning;
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly http: OutgoingHttp,
    private readonly now: () => Date,
    private readonly retryAfterMs: number,
  ) {
    this.signing = new CallbackSigning(now);
  }

  /**
   * Delivers a callback. Never rejects.
   * @param deliveries how many times to deliver it, because Google sends duplicates
   * @returns the last attempt
   */
  async deliver(event: CallbackEvent, deliveries: number, forgery?: CallbackForgery): Promise<SentCallback> {
    const nonce = randomUUID();
    const send = this.sendUntilTaken(event, nonce, 1, forgery);
    this.underWay.add(send);
    try {
      let last = await send;
      for (let more = deliveries - 1; more > 0; more--) last = await this.repeat(last);
      return last;
    } finally {
      this.underWay.delete(send);
    }
  }

  /** Sends the same bytes once more. */
  async repeat(callback: SentCallback): Promise<SentCallback> {
    const again = { ...callback, at: this.now(), status: await this.post(callback.url, callback.body) };
    this.log.push(again);
    return again;
  }

  /** Waits until no delivery is in progress. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  /** Counts work as in progress until its promise settles. */
  track(work: Promise<unknown>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  private async sendUntilTaken(
    event: CallbackEvent,
    nonce: string,
    count: number,
    forgery?: CallbackForgery,
  ): Promise<SentCallback> {
    const { url, issuerId, classId, objectId, eventType } = event;
    const at = this.now();
    const message = { classId, objectId, expTimeMillis: at.getTime() + VALID_MS, eventType, nonce, count };
    const body = this.signing.sign(issuerId, message, forgery);
    const status = await this.post(url, body);
    const sent: SentCallback = { ...message, url, body, forgery: forgery ?? null, at, status };
    this.log.push(sent);
    const taken = status !== null && status >= 200 && status < 300;
    // Do not retry a forged callback, because receivers must reject it.
    if (taken || forgery || count === ATTEMPTS) return sent;
    await new Promise((resolve) => setTimeout(resolve, this.retryAfterMs * count).unref());
    return this.sendUntilTaken(event, nonce, count + 1);
  }

  private async post(url: string, json: string): Promise<number | null> {
    try {
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_RESPONSE_BYTES };
      return (await this.http.send(url, { method: 'POST', json, ...limits })).status;
    } catch {
      return null;
    }
  }
}
