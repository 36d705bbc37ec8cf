import { Logger } from '@nestjs/common';
import { backoff, type GoogleQuota, type GoogleUrgency, loggedError, WalletUnavailable } from '@passwright/core';
import type { GoogleCredential } from '../accounts/google-credential.js';
import type { GoogleLimits } from '../google-limits.js';
import { type AccessTokens, TokenRejected } from './access-tokens.js';
import { type Deadline, OutOfTime } from './deadline.js';
import { exchange, type HttpRequest, NoResponse } from './http-exchange.js';
import { oneLine, readResponse, type ReadResponse } from './google-responses.js';

const logger = new Logger('GoogleWallet');

export interface ApiRequest {
  readonly method: HttpRequest['method'];
  /** The path after `/walletobjects/v1`, with its leading slash. */
  readonly path: string;
  readonly body?: object;
  /** True for a request that must not be repeated after a temporary failure, because it may have taken effect. */
  readonly once?: boolean;
}

/** The account, urgency and deadline of a request. */
export interface ApiCall {
  readonly credential: GoogleCredential;
  readonly urgency: GoogleUrgency;
  readonly deadline: Deadline;
}

/** An API response, or the reason why there is no response. The status is null if there is no response. */
export type Reply = Omit<ReadResponse, 'meaning' | 'status'> & {
  readonly meaning: Exclude<ReadResponse['meaning'], 'unauthorized'>;
  readonly status: number | null;
};

/** The REST API. Each request waits for the quota and carries a token. Temporary failures are retried. */
export class WalletApi {
  private readonly base: string;

  constructor(
    apiUrl: string,
    private readonly tokens: AccessTokens,
    private readonly quota: GoogleQuota,
    private readonly limits: GoogleLimits,
  ) {
    this.base = `${apiUrl.replace(/(?<!\/)\/+$/, '')}/walletobjects/v1`;
  }

  /** Sends a request until a response is final, or until attempts or time run out. Never rejects. */
  async send(request: ApiRequest, call: ApiCall): Promise<Reply> {
    let renewed = false;
    for (let attempt = 1; ; attempt++) {
      const reply = await this.attempt(request, call);
      if (reply.meaning === 'unauthorized') {
        // The token endpoint has just accepted the credential, so the rejection of the new token is temporary.
        if (renewed) return { ...reply, meaning: 'later', reason: `Google rejects the token: ${reply.reason}` };
        renewed = true;
        attempt--;
        continue;
      }
      const last = { ...reply, meaning: reply.meaning };
      if (reply.meaning !== 'busy' || request.once || attempt >= this.limits.attempts) return last;
      const pauseMs = this.pauseMs(attempt, reply.retryAfterSeconds);
      // Stop now if too little time would be left after the pause.
      if (pauseMs + this.leastRequestMs >= call.deadline.leftMs) return last;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  private async attempt(request: ApiRequest, { credential, urgency, deadline }: ApiCall): Promise<AnyReply> {
    const { requestTimeoutMs } = this.limits;
    try {
      const token = await deadline.within(this.tokens.of(credential));
      const maxWaitMs = Math.max(0, Math.floor(deadline.leftMs - requestTimeoutMs));
      await deadline.within(this.quota.take(credential.identity.issuerId, urgency, maxWaitMs));
      if (deadline.leftMs < this.leastRequestMs) return withoutResponse('later', 'No time was left for a request.');
      const result = await exchange(this.toHttp(request, token), {
        timeoutMs: Math.min(requestTimeoutMs, deadline.leftMs),
        responseBytes: this.limits.responseBytes,
      });
      const reply = readResponse(result);
      if (reply.meaning === 'unauthorized') this.tokens.forget(credential, token);
      return reply;
    } catch (error) {
      return replyFor(error);
    }
  }

  private toHttp({ method, path, body }: ApiRequest, token: string): HttpRequest {
    return {
      method,
      url: this.base + path,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json; charset=utf-8' }),
      },
      body: body && JSON.stringify(body),
    };
  }

  private pauseMs(attempt: number, retryAfterSeconds: number | null): number {
    const { backoffFirstMs: first, backoffMostMs: most } = this.limits;
    return (retryAfterSeconds ?? 0) * 1000 + backoff(attempt, { first, most, jitter: 1 });
  }

  /** The shortest time in which a request to Google can succeed. */
  private get leastRequestMs(): number {
    return this.limits.requestTimeoutMs / 10;
  }
}

type AnyReply = Omit<Reply, 'meaning'> & { readonly meaning: ReadResponse['meaning'] };

function replyFor(error: unknown): Reply {
  if (error instanceof TokenRejected) {
    const { outcome, message, status, retryAfterSeconds } = error;
    return {
      ...withoutResponse(outcome === 'credential_rejected' ? 'credential_rejected' : 'busy', message),
      status,
      retryAfterSeconds,
    };
  }
  // Do not retry, because another attempt would wait just as long.
  if (error instanceof WalletUnavailable || error instanceof OutOfTime) return withoutResponse('later', error.message);
  if (error instanceof NoResponse) return withoutResponse('busy', `Google Wallet did not respond: ${error.message}.`);
  logger.error({ err: loggedError(error) });
  return withoutResponse('busy', 'The request failed; the log says why.');
}

function withoutResponse(meaning: Reply['meaning'], reason: string): Reply {
  return { meaning, status: null, reason: oneLine(reason), retryAfterSeconds: null, body: {} };
}
