import { connect, type OutgoingHttpHeaders } from 'node:http2';
import { isIP } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { AppleCredential, Clock, PushResult } from '@passwright/core';
import type { ApnsLimits } from './apns-limits.js';
import { ApnsSession, type SessionOwner } from './apns-session.js';
import { Backoff } from './backoff.js';
import { Fifo } from './fifo.js';
import { PendingPush } from './pending-push.js';
import { PushBurst } from './push-burst.js';
import { type Problem, withoutResponse } from './push-result.js';

const EXPIRATION_SECONDS = 24 * 60 * 60;
const MOST_BETWEEN_CHECKS_MS = 1000;
const CROWDED = withoutResponse('retry', 'Too many pushes wait for their turn.');
/**
 * Matches a push token. Tokens come from devices and go into a path, so other characters are not allowed. Apple's
 * tokens are hexadecimal, of varying length.
 */
const PUSH_TOKEN = /^[0-9A-Za-z]{1,200}$/;
const NO_TOKEN = withoutResponse('bad_token', 'The push token is not one that Apple gives out.');

/** The address of the push service, and the authority that must have issued its certificate. */
export interface PushService {
  readonly url: URL;
  readonly ca: string | null;
}

/**
 * Sends the pushes of one certificate over one connection at a time. It connects when there is a push to send, keeps
 * the connection open, and replaces it when the peer closes it. If no stream is free, pushes wait in order.
 */
export class ApnsSender implements SessionOwner {
  private readonly waiting = new Fifo<PendingPush>();
  /** The current session, and the sessions that are still finishing their streams. */
  private readonly sessions = new Set<ApnsSession>();
  private readonly backoff: Backoff;
  private readonly authority: string;
  private current: ApnsSession | null = null;
  private secureContext: SecureContext | null = null;
  private staleTimer: NodeJS.Timeout | null = null;
  /** The time until which Apple stores a push sent now, in seconds since 1970. */
  private expiration = '';
  private retirement: Promise<void> | null = null;
  private retired: () => void = () => undefined;

  constructor(
    private readonly credential: AppleCredential,
    private readonly service: PushService,
    private readonly clock: Clock,
    private readonly limits: ApnsLimits,
    private readonly onError: (problem: Problem) => void,
  ) {
    this.authority = service.url.host;
    this.backoff = new Backoff(limits.backoffFirstMs, limits.backoffMostMs);
  }

  /** Sends pushes. @returns the same as `ApplePush.pushAll` */
  pushAll(pushTokens: readonly string[]): Promise<readonly (PushResult | null)[]> {
    const now = performance.now();
    const pause = this.backoff.current(now);
    const inPause = pause && rejection(pause.problem, pause.seconds);
    const burst = new PushBurst(pushTokens.length);
    this.expiration = String(Math.floor(this.clock.now().getTime() / 1000) + EXPIRATION_SECONDS);
    pushTokens.forEach((pushToken, index) => {
      const push = new PendingPush(pushToken, now, burst, index);
      if (!PUSH_TOKEN.test(pushToken)) push.turnAway(NO_TOKEN);
      else if (inPause) push.turnAway(inPause);
      else if (this.waiting.size >= this.limits.maxWaiting) push.turnAway(CROWDED);
      else this.waiting.push(push);
    });
    this.moved();
    return burst.results;
  }

  /** Accepts no more pushes. Resolves when all accepted pushes have ended and the connections are closed. */
  retire(): Promise<void> {
    this.retirement ??= new Promise((resolve) => {
      this.retired = resolve;
    });
    this.moved();
    return this.retirement;
  }

  /** Works like `retire`, but in limited time: ends waiting pushes immediately, and open streams after `shutdownMs`. */
  async close(): Promise<void> {
    const closing: Problem = { outcome: 'retry', reason: 'The service is stopping.' };
    this.giveUp(closing);
    const late = setTimeout(() => {
      for (const session of this.sessions) session.destroy(closing.reason);
    }, this.limits.shutdownMs);
    await this.retire();
    clearTimeout(late);
  }

  moved(): void {
    if (this.current?.leaving) this.release(this.current);
    if (this.waiting.size > 0) this.current ??= this.connect();
    while (this.waiting.size > 0 && this.current?.hasRoom) {
      const push = this.waiting.shift();
      if (push?.pointless) push.settle(null);
      else if (push) this.current.send(push);
    }
    if (!this.retirement || this.waiting.size > 0) return;
    this.current?.retire();
    if (this.sessions.size === 0) this.retired();
  }

  ended(session: ApnsSession): void {
    this.sessions.delete(session);
    if (this.sessions.size === 0 && this.staleTimer) {
      clearInterval(this.staleTimer);
      this.staleTimer = null;
    }
    if (this.current === session) this.release(session);
    this.moved();
  }

  headers(pushToken: string): OutgoingHttpHeaders {
    return {
      ':method': 'POST',
      ':path': `/3/device/${pushToken}`,
      ':scheme': 'https',
      ':authority': this.authority,
      'apns-topic': this.credential.passTypeIdentifier,
      'apns-push-type': 'background',
      'apns-priority': '5',
      'apns-expiration': this.expiration,
    };
  }

  private connect(): ApnsSession | null {
    try {
      this.secureContext ??= this.trustAndIdentity();
    } catch (error) {
      const reason = `The certificate cannot be used for a connection: ${(error as Error).message}.`;
      this.failed({ outcome: 'credential_rejected', reason }, false);
      return null;
    }
    const socket = this.dial(this.secureContext);
    const http2 = connect(this.service.url, { createConnection: () => socket, settings: { enablePush: false } });
    const session = new ApnsSession(http2, socket, this.limits, this);
    this.sessions.add(session);
    this.staleTimer ??= this.watchStale();
    return session;
  }

  private dial(secureContext: SecureContext): TLSSocket {
    const { port } = this.service.url;
    // A URL has brackets around an IPv6 address, but a host name has none.
    const host = this.service.url.hostname.replace(/^\[|\]$/g, '');
    return connectTls({
      secureContext,
      host,
      port: port === '' ? 443 : Number(port),
      servername: isIP(host) ? '' : host,
      ALPNProtocols: ['h2'],
    });
  }

  private trustAndIdentity(): SecureContext {
    const { certificatePem, intermediatePem, privateKeyPem, passphrase } = this.credential;
    const { ca } = this.service;
    return createSecureContext({
      minVersion: 'TLSv1.2',
      cert: `${certificatePem.trimEnd()}\n${intermediatePem}`,
      key: privateKeyPem,
      passphrase,
      ca: ca === null ? undefined : [...rootCertificates, ca],
    });
  }

  /** Drops the session. The next push connects again, without a pause if this session lasted for a while. */
  private release(session: ApnsSession): void {
    this.current = null;
    if (session.proven) this.backoff.succeeded();
    else if (!this.retirement || this.waiting.size > 0) this.failed(session.problem, session.open);
  }

  private failed(problem: Problem, atOnce: boolean): void {
    const now = performance.now();
    this.backoff.failed(problem, now, atOnce);
    const pause = this.backoff.current(now);
    if (!pause) return;
    this.onError(problem);
    this.giveUp(pause.problem, pause.seconds);
  }

  private giveUp(problem: Problem, retryAfterSeconds: number | null = null): void {
    for (let push = this.waiting.shift(); push; push = this.waiting.shift()) {
      push.turnAway(rejection(problem, retryAfterSeconds));
    }
  }

  private watchStale(): NodeJS.Timeout {
    const { streamTimeoutMs, pingTimeoutMs, waitTimeoutMs } = this.limits;
    const closeStalled = () => {
      const now = performance.now();
      for (const session of this.sessions) session.closeStalled(now);
      while (now - (this.waiting.first?.since ?? now) > waitTimeoutMs) {
        this.waiting.shift()?.turnAway(withoutResponse('retry', `No turn within ${waitTimeoutMs / 1000} s.`));
      }
    };
    // First read what has arrived, because a process that was suspended may have unread responses.
    const closeSoon = () => void setImmediate(closeStalled);
    const pauseMs = Math.min(MOST_BETWEEN_CHECKS_MS, streamTimeoutMs / 4, pingTimeoutMs / 4);
    return setInterval(closeSoon, pauseMs).unref();
  }
}

function rejection({ outcome, reason }: Problem, retryAfterSeconds: number | null) {
  return withoutResponse(outcome, reason, outcome === 'retry' ? retryAfterSeconds : null);
}
