import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type Settings,
} from 'node:http2';
import type { Socket } from 'node:net';
import { accepted, interpret, type RawResponse } from './apns-responses.js';
import type { ApnsLimits } from './apns-limits.js';
import { connectionError, Unresponsive } from './connection-errors.js';
import type { PendingPush } from './pending-push.js';
import { type Problem, withoutResponse } from './push-result.js';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM } = constants;
/** The body of each push. Apple requires an empty dictionary, and rejects a push without a body. */
const BODY = Buffer.from('{}');
const MAX_RESPONSE_BYTES = 4096;

/** The methods of a sender that a session calls. */
export interface SessionOwner {
  /** Called when a stream may have become free, or when the session accepts no more pushes. */
  moved(): void;
  ended(session: ApnsSession): void;
  /** Returns the headers of a push in a new object. */
  headers(pushToken: string): OutgoingHttpHeaders;
}

/** An HTTP/2 connection to the push service. Every push that it sends gets a result, even if the connection ends. */
export class ApnsSession {
  /** True once the peer has sent its SETTINGS. Later failures do not count as connection failures. */
  open = false;
  private readonly pushes = new Set<PendingPush>();
  /** True once a response to a push has shown that the connection works. */
  private useful = false;
  private window = 0;
  private error: Error | null = null;
  private readonly startedAt = performance.now();
  private heardAt = this.startedAt;
  private usedAt = this.startedAt;
  private pingSentAt: number | null = null;
  private destroyedAt: number | null = null;

  /** @param socket the transport for `http2` */
  constructor(
    private readonly http2: ClientHttp2Session,
    private readonly socket: Socket,
    private readonly limits: ApnsLimits,
    private readonly owner: SessionOwner,
  ) {
    http2.on('remoteSettings', ({ maxConcurrentStreams = Infinity }: Settings) => {
      this.open = true;
      this.heardAt = performance.now();
      this.window = Math.min(maxConcurrentStreams, limits.maxStreams);
      owner.moved();
    });
    http2.on('goaway', () => owner.moved());
    http2.on('error', (error: Error) => {
      this.error = error;
    });
    http2.on('close', () => this.closed());
  }

  /** True if the session accepts no more pushes, because it is closed, has received GOAWAY, or is retired. */
  get leaving(): boolean {
    return this.http2.closed || this.http2.destroyed;
  }

  get hasRoom(): boolean {
    return this.pushes.size < this.window && !this.leaving;
  }

  /**
   * True if the connection has lasted for a while. After a shorter connection, the client waits before it connects
   * again.
   */
  get proven(): boolean {
    return this.useful && performance.now() - this.startedAt >= this.limits.provenAfterMs;
  }

  /** The reason why the connection ended or is ending. */
  get problem(): Problem {
    return connectionError(this.error);
  }

  /** Sends a push. The caller must first check that a stream is free. */
  send(push: PendingPush): void {
    push.since = this.usedAt = performance.now();
    let stream: ClientHttp2Stream;
    try {
      stream = this.http2.request(this.owner.headers(push.pushToken));
    } catch (error) {
      push.settle(withoutResponse('retry', connectionError(error as Error).reason));
      return;
    }
    push.stream = stream;
    this.pushes.add(push);
    let failure: Error | null = null;
    stream.on('response', (headers, flags) => this.heard(push, stream, headers, flags));
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on('close', () => {
      if (!push.settled) this.lost(push, connectionError(failure ?? this.error));
      this.pushes.delete(push);
      this.owner.moved();
    });
    stream.end(BODY);
  }

  /**
   * Ends streams and connections that take too long. Called periodically by the sender.
   * @param now `performance.now()`
   */
  closeStalled(now: number): void {
    const { connectTimeoutMs, streamTimeoutMs, idleCloseMs, pingTimeoutMs } = this.limits;
    if (this.http2.destroyed) {
      // This session has sent GOAWAY and waits for the peer to close the connection. A dead peer never closes it.
      this.destroyedAt ??= now;
      if (now - this.destroyedAt > pingTimeoutMs) this.socket.destroy();
      return;
    }
    if (!this.open) {
      if (now - this.startedAt > connectTimeoutMs) {
        this.destroy(`The push service did not take a connection within ${connectTimeoutMs / 1000} s.`);
      }
      return;
    }
    for (const push of this.pushes) {
      // Pushes are sorted by the time at which they were sent, so all later ones are younger.
      if (now - push.since <= streamTimeoutMs) break;
      if (push.stream?.closed) continue;
      this.lost(push, { outcome: 'retry', reason: `No response within ${streamTimeoutMs / 1000} s.` });
      push.stream?.close(NGHTTP2_CANCEL);
    }
    if (this.pushes.size === 0 && now - this.usedAt > idleCloseMs) this.retire();
    else this.checkAlive(now);
  }

  /** Accepts no more pushes. Closes the connection when its open pushes have ended. */
  retire(): void {
    if (!this.leaving) this.http2.close();
  }

  /** Ends the connection and its pushes. @param why the reason as a sentence */
  destroy(why: string): void {
    this.http2.destroy(new Unresponsive(why));
    this.socket.destroy();
  }

  private heard(push: PendingPush, stream: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): void {
    this.heardAt = performance.now();
    const { 'apns-id': id, 'retry-after': retryAfter } = headers;
    const status = Number(headers[':status']);
    const pushId = typeof id === 'string' ? id : null;
    if (status === 200) {
      this.useful = true;
      push.settle(accepted(pushId));
      // A response without a body ends at the first read, which costs less than a call of `resume`.
      if (flags & NGHTTP2_FLAG_END_STREAM) stream.read();
      else stream.resume();
      return;
    }
    const result = (body: string | null) => this.responded(push, { status, pushId, retryAfter, body });
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes <= MAX_RESPONSE_BYTES) return;
      result(null);
      stream.close(NGHTTP2_CANCEL);
    });
    // The event `end` does not fire if the stream breaks off, so a partial response is never read.
    stream.on('end', () => result(Buffer.concat(chunks).toString('utf8')));
  }

  private responded(push: PendingPush, raw: RawResponse): void {
    const [result, rule] = interpret(raw);
    push.settle(result);
    if (!rule.reconnect) this.useful = true;
    // Many reconnects look like an attack, so replace only a connection that never worked or has worked for long.
    else if (!this.useful || this.proven) this.retire();
  }

  private lost(push: PendingPush, { outcome, reason }: Problem): void {
    push.settle(withoutResponse(outcome, reason));
  }

  /** Sends a PING on a silent connection, because a connection can die unnoticed, for example behind a NAT. */
  private checkAlive(now: number): void {
    const { busyPingAfterMs, idlePingAfterMs, pingTimeoutMs } = this.limits;
    if (this.pingSentAt !== null) {
      if (now - Math.max(this.pingSentAt, this.heardAt) > pingTimeoutMs) {
        this.destroy(`The push service did not answer a PING within ${pingTimeoutMs / 1000} s.`);
      }
      return;
    }
    if (now - this.heardAt < (this.pushes.size > 0 ? busyPingAfterMs : idlePingAfterMs)) return;
    this.pingSentAt = now;
    this.http2.ping((error) => {
      this.pingSentAt = null;
      if (!error) this.heardAt = performance.now();
    });
  }

  private closed(): void {
    for (const push of this.pushes) if (!push.settled) this.lost(push, this.problem);
    this.pushes.clear();
    this.owner.ended(this);
  }
}
