import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type Settings,
} from 'node:http2';
import type { Socket } from 'node:net';
import { interpret, type RawAnswer } from './apns-answers.js';
import type { ApnsLimits } from './apns-limits.js';
import { connectionFault, Unresponsive } from './connection-faults.js';
import type { PendingPush } from './pending-push.js';
import { type Fault, unanswered } from './push-answer.js';

const { NGHTTP2_CANCEL } = constants;
/** Apple wants an empty dictionary, and counts a missing body as an error. */
const BODY = Buffer.from('{}');
const MAX_ANSWER_BYTES = 4096;

/** Whoever hands pushes to a session. */
export interface SessionOwner {
  /** The session may have room now, or takes no more pushes. */
  moved(): void;
  ended(session: ApnsSession): void;
  /** The headers of a push, in an object of its own. */
  headers(pushToken: string): OutgoingHttpHeaders;
}

/** One HTTP/2 connection to the push service. Every push that is handed to it settles, whatever becomes of the connection. */
export class ApnsSession {
  /** Whether the peer has said what it takes: from then on a failure is not one of connecting. */
  open = false;
  private readonly pushes = new Set<PendingPush>();
  /** Whether a push was answered in a way that speaks for the connection. */
  private useful = false;
  private window = 0;
  private error: Error | null = null;
  private readonly startedAt = performance.now();
  private heardAt = this.startedAt;
  private usedAt = this.startedAt;
  private pingSentAt: number | null = null;
  private destroyedAt: number | null = null;

  /** @param socket what `http2` runs over */
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

  /** True once no further push may be handed to it: closed, told to go away, or retired. */
  get leaving(): boolean {
    return this.http2.closed || this.http2.destroyed;
  }

  get hasRoom(): boolean {
    return this.pushes.size < this.window && !this.leaving;
  }

  /** Whether it has served for a while: one that leaves sooner is no reason to connect again at once, and again. */
  get proven(): boolean {
    return this.useful && performance.now() - this.startedAt >= this.limits.provenAfterMs;
  }

  /** Why it ended, or is ending. */
  get fault(): Fault {
    return connectionFault(this.error);
  }

  /** Only when it has room. */
  send(push: PendingPush): void {
    push.since = this.usedAt = performance.now();
    let stream: ClientHttp2Stream;
    try {
      stream = this.http2.request(this.owner.headers(push.pushToken));
    } catch (error) {
      push.settle(unanswered('retry', connectionFault(error as Error).reason));
      return;
    }
    push.stream = stream;
    this.pushes.add(push);
    let failure: Error | null = null;
    stream.on('response', (headers) => this.heard(push, stream, headers));
    stream.on('error', (error: Error) => {
      failure = error;
    });
    stream.on('close', () => {
      if (!push.settled) this.lost(push, connectionFault(failure ?? this.error));
      this.pushes.delete(push);
      this.owner.moved();
    });
    stream.end(BODY);
  }

  /** To be called every now and then: ends what takes too long. @param now `performance.now()` */
  sweep(now: number): void {
    const { connectTimeoutMs, streamTimeoutMs, idleCloseMs, pingTimeoutMs } = this.limits;
    if (this.http2.destroyed) {
      // It has said goodbye, and waits for the peer to hang up: a dead one never does.
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
      // They stand in the order in which they were sent.
      if (now - push.since <= streamTimeoutMs) break;
      if (push.stream?.closed) continue;
      this.lost(push, { outcome: 'retry', reason: `No answer within ${streamTimeoutMs / 1000} s.` });
      push.stream?.close(NGHTTP2_CANCEL);
    }
    if (this.pushes.size === 0 && now - this.usedAt > idleCloseMs) this.retire();
    else this.checkAlive(now);
  }

  /** Takes no more pushes, and closes when the open ones have ended. */
  retire(): void {
    if (!this.leaving) this.http2.close();
  }

  /** Ends it, and its pushes with it. @param why a sentence */
  destroy(why: string): void {
    this.http2.destroy(new Unresponsive(why));
    this.socket.destroy();
  }

  private heard(push: PendingPush, stream: ClientHttp2Stream, headers: IncomingHttpHeaders): void {
    this.heardAt = performance.now();
    const { ':status': status, 'apns-id': id, 'retry-after': retryAfter } = headers;
    const raw = { status: Number(status), pushId: typeof id === 'string' ? id : null, retryAfter };
    const answer = (body: string | null) => this.answered(push, { ...raw, body });
    if (raw.status === 200) {
      answer('');
      stream.resume();
      return;
    }
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes <= MAX_ANSWER_BYTES) return;
      answer(null);
      stream.close(NGHTTP2_CANCEL);
    });
    // Not emitted when the stream breaks off: half an answer is none.
    stream.on('end', () => answer(Buffer.concat(chunks).toString('utf8')));
  }

  private answered(push: PendingPush, raw: RawAnswer): void {
    const [answer, rule] = interpret(raw);
    push.settle(answer);
    if (!rule.reconnect) this.useful = true;
    // Where only some pushes are answered so, a new connection for each would look like an attack.
    else if (!this.useful || this.proven) this.retire();
  }

  private lost(push: PendingPush, { outcome, reason }: Fault): void {
    push.settle(unanswered(outcome, reason));
  }

  /** A connection may die without a sign, at a NAT that forgets it for example: a silent one has to answer a PING. */
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
    for (const push of this.pushes) if (!push.settled) this.lost(push, this.fault);
    this.pushes.clear();
    this.owner.ended(this);
  }
}
