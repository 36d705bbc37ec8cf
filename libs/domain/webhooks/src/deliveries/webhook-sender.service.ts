import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, withoutSlot } from '@passwright/core';
import {
  hostOf,
  networkError,
  NodeExhausted,
  NoPublicAddress,
  NoWebPort,
  type OutboundResponse,
  PublicAgent,
} from '@passwright/http';
import { WebhooksOptions } from '../webhooks.options.js';
import { retryAfterSeconds } from './delivery-retry-policy.js';
import { signedHeaders, type WebhookMessage } from './webhook-signature.js';

/** The time limit of an attempt, from the DNS look-up to the end of the response. */
const TIMEOUT_MS = 15_000;
/**
 * Maximum number of bytes of a response to read, so that its connection can be reused. The service does not store them.
 */
const MAX_RESPONSE_BYTES = 4096;

/** The address of a receiver and all secrets that sign its messages. */
export interface Receiver {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** The result of an attempt. */
export interface CallOutcome {
  /** The status of the response; null if there was none. */
  readonly statusCode: number | null;
  /** The reason why the attempt failed, as a sentence; null if it succeeded. */
  readonly problem: string | null;
  readonly durationMs: number;
  /** The pause that the receiver requests with 429 or 503 and `Retry-After`. */
  readonly retryAfterSeconds: number | null;
}

/** Posts signed messages (Standard Webhooks) to URLs that accounts choose. Rejects private IP addresses. */
@Injectable()
export class WebhookSenderService implements OnApplicationShutdown {
  protected readonly timeoutMs: number = TIMEOUT_MS;
  private readonly logger = new Logger('Webhooks');
  private readonly agent: PublicAgent;

  constructor(
    { hostsAllowed = [] }: WebhooksOptions,
    private readonly clock: Clock,
  ) {
    this.agent = new PublicAgent({ hostsAllowed, connectTimeoutMs: TIMEOUT_MS, keepsConnections: true });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }

  /**
   * Makes one attempt. Meanwhile, releases the request's slot in the concurrency limiter. @param stop aborts the
   * attempt; the message may have arrived nevertheless. @throws NodeExhausted. @throws RateLimited, NotReady if the
   * request does not get another slot
   */
  post(receiver: Receiver, message: WebhookMessage, stop?: AbortSignal): Promise<CallOutcome> {
    return withoutSlot(() => this.timed(receiver, message, stop));
  }

  private async timed(receiver: Receiver, message: WebhookMessage, stop?: AbortSignal): Promise<CallOutcome> {
    const began = performance.now();
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
    const outcome = await this.attempt(receiver, message, signal).catch((error: unknown) => {
      // Nothing was sent, and this is not the receiver's fault.
      if (error instanceof NodeExhausted) throw error;
      return { statusCode: null, problem: this.problemOf(error, receiver, message), retryAfterSeconds: null };
    });
    return { ...outcome, durationMs: Math.round(performance.now() - began) };
  }

  private async attempt({ url, secrets }: Receiver, message: WebhookMessage, signal: AbortSignal) {
    const response = await this.agent.request(new URL(url), {
      method: 'POST',
      body: message.body,
      signal,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Passwright',
        ...signedHeaders(message, secrets, this.clock.now()),
      },
    });
    await passOver(response);
    const { statusCode, headers } = response;
    const mayAsk = statusCode === 429 || statusCode === 503;
    return {
      statusCode,
      problem: problemOfStatus(statusCode),
      retryAfterSeconds: mayAsk ? retryAfterSeconds(headers['retry-after'], this.clock.now()) : null,
    };
  }

  private problemOf(error: unknown, { url }: Receiver, { id }: WebhookMessage): string {
    if (error instanceof NoPublicAddress) {
      return `Its host ${hostOf(new URL(url))} has no public address, and no other one is called.`;
    }
    if (error instanceof NoWebPort) return `Its port ${error.port} is not called: it must be 443 or at least 1024.`;
    this.logger.debug(`${id} got no response: ${networkError(error)}`);
    return `No response arrived within ${this.timeoutMs / 1000} s: check its host, port and certificate.`;
  }
}

function problemOfStatus(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null;
  if (statusCode >= 300 && statusCode < 400) {
    return `It responded with a redirect (${statusCode}), which is not followed: give the address that it leads to.`;
  }
  return `It responded with status ${statusCode}.`;
}

/** Reads and discards the response up to the size limit. */
async function passOver({ body }: OutboundResponse): Promise<void> {
  let sizeBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_RESPONSE_BYTES) break;
    }
  } catch {
    // The status is enough, even if the rest never arrives.
  } finally {
    body.destroy();
  }
}
