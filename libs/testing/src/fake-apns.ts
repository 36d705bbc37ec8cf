import { once } from 'node:events';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type FakeApnsPush, pushOf } from './fake-apns-push.js';
import { type ApnsResponse, type ApnsClient, judge } from './fake-apns-rules.js';
import { ApnsScript, Inbox, type ScriptedResponse } from './fake-apns-script.js';
import { testCertificates } from './test-certificates.js';

/** The maximum size of a body in bytes, larger than any valid payload. A larger body gets 413. */
const MAX_BODY_BYTES = 64 * 1024;
/** A fatal TLS alert: bad_certificate. */
const BAD_CERTIFICATE_ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 42]);

/** The options of `FakeApns.start`. */
export interface FakeApnsOptions {
  /** The authority that issues client certificates, as PEM text. Other certificates get 403. */
  readonly root: string;
  /** The server's certificate and key as PEM text, for clients that trust your own authority. Default: new ones. */
  readonly server?: { readonly certificatePem: string; readonly privateKeyPem: string };
  /** The value of SETTINGS_MAX_CONCURRENT_STREAMS for clients. Default: 1,000. */
  readonly maxConcurrentStreams?: number;
  /** Returns the time that is recorded with each request. Default: the system's time. */
  readonly now?: () => Date;
}

interface Connection extends ApnsClient {
  openStreams: number;
  nextStreamId: number;
}

/**
 * A fake of Apple's push service for passes: HTTP/2 over mutual TLS on a local port. It follows Apple's published
 * rules, unless a test scripts other responses. Clients must connect to `url` and trust `ca`.
 */
export class FakeApns {
  /** All requests so far, in the order of reading. */
  readonly pushes: FakeApnsPush[] = [];
  /** The number of TCP connections so far, including rejected ones. */
  connectionsSeen = 0;
  /** The highest number of simultaneous streams on one connection, without rejected streams. */
  mostOpenStreams = 0;
  /**
   * The number of streams that clients opened beyond the announced limit. HTTP/2 rejects them before the server can
   * read them, so each is counted when the connection opens its next stream.
   */
  rejectedStreams = 0;

  private readonly script = new ApnsScript();
  private readonly accepted = new Inbox<FakeApnsPush>();
  private readonly rejected = new Inbox<FakeApnsPush>();
  private readonly listeners = new Set<(push: FakeApnsPush) => void>();
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly connections = new WeakMap<object, Connection>();
  private door: 'open' | 'shut' | 'certificates rejected' = 'open';
  private delayMs = 0;

  private constructor(
    private readonly listener: Server,
    private readonly server: Http2SecureServer,
    /** The authority that issued the server's certificate, as PEM text. */
    readonly ca: string,
    private readonly now: () => Date,
  ) {
    listener.on('connection', (socket: Socket) => this.welcome(socket));
    server.on('session', (session) => this.opened(session));
    server.on('stream', (stream: ServerHttp2Stream, headers) => this.read(stream, headers));
    // Ignore errors, because tests make clients disconnect in every way.
    for (const event of ['sessionError', 'tlsClientError', 'error']) server.on(event, () => undefined);
  }

  /** Starts on a free port of 127.0.0.1 with its own server certificate. */
  static async start({ root, server: own, maxConcurrentStreams = 1000, now }: FakeApnsOptions): Promise<FakeApns> {
    const certificates = testCertificates();
    const { certificatePem, privateKeyPem } = own ?? certificates.server();
    const server = createSecureServer({
      cert: certificatePem,
      key: privateKeyPem,
      ca: root,
      requestCert: true,
      // Accept any client certificate here, because the response must say why it is wrong.
      rejectUnauthorized: false,
      settings: { maxConcurrentStreams },
    });
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new FakeApns(listener, server, certificates.rootPem, now ?? (() => new Date()));
  }

  /** The https address of the server. */
  get url(): string {
    return `https://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  /** The number of open TCP connections. */
  get openConnections(): number {
    return this.sockets.size;
  }

  /**
   * Returns the next accepted push that matches, or waits for it. Includes earlier pushes, but returns each push only
   * once.
   */
  nextPush(matches: (push: FakeApnsPush) => boolean = () => true): Promise<FakeApnsPush> {
    return this.accepted.next(matches);
  }

  /** Returns the next rejected push that matches. Works like `nextPush`. */
  nextRejection(matches: (push: FakeApnsPush) => boolean = () => true): Promise<FakeApnsPush> {
    return this.rejected.next(matches);
  }

  /** Calls the listener with each accepted push. @returns a function that unsubscribes */
  onPush(listener: (push: FakeApnsPush) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Scripts the response to valid requests for the token (`*`: any token). Several responses are used in order. */
  respond(token: string, { times, ...response }: ScriptedResponse): void {
    this.script.add(token, response, times);
  }

  /** Leaves requests for this token (`*`: any token) without a response. */
  hang(token: string, times?: number): void {
    this.script.add(token, null, times);
  }

  /** Delays each response by this time. */
  delay(ms: number): void {
    this.delayMs = ms;
  }

  /** Clears the effects of `respond`, `hang` and `delay`, and accepts connections again. */
  reset(): void {
    this.script.clear();
    this.delayMs = 0;
    this.door = 'open';
  }

  /** Discards all requests so far, including those that `nextPush` and `nextRejection` have not returned yet. */
  forget(): void {
    this.pushes.length = 0;
    this.accepted.clear();
    this.rejected.clear();
  }

  /** Announces another SETTINGS_MAX_CONCURRENT_STREAMS on current and future connections. */
  limitStreams(maxConcurrentStreams: number): void {
    this.server.updateSettings({ maxConcurrentStreams });
    for (const session of this.sessions) if (!session.destroyed) session.settings({ maxConcurrentStreams });
  }

  /**
   * Sends GOAWAY on every connection. A connection responds to its earlier streams, ignores later ones, and then ends.
   */
  goAway(code: number = constants.NGHTTP2_NO_ERROR): void {
    for (const session of this.sessions) {
      if (session.destroyed) continue;
      session.goaway(code);
      session.close();
    }
  }

  /** Cuts every connection without closing HTTP/2 or TLS. */
  dropConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Resets new connections before the TLS handshake, until `reset()`. */
  rejectConnections(): void {
    this.door = 'shut';
  }

  /** Ends the TLS handshake of new connections with the alert bad_certificate, until `reset()`. */
  rejectCertificates(): void {
    this.door = 'certificates rejected';
  }

  /**
   * Stops reading from the current connections, as if the network had failed. They stay open without any response, not
   * even to a PING.
   */
  freeze(): void {
    type Readable = { readonly _handle?: { readStop(): void } | null };
    // Stop the handle, because TLS would continue to read from it if only the socket were paused.
    for (const socket of this.sockets) (socket as Readable)._handle?.readStop();
  }

  /** Ends every connection and stops listening. */
  async stop(): Promise<void> {
    if (!this.listener.listening) return;
    const closed = once(this.listener, 'close');
    this.listener.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private welcome(socket: Socket): void {
    this.connectionsSeen++;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    if (this.door === 'shut') socket.resetAndDestroy();
    else if (this.door === 'open') this.server.emit('connection', socket);
    else socket.once('data', () => socket.end(BAD_CERTIFICATE_ALERT));
  }

  private opened(session: ServerHttp2Session): void {
    const socket = session.socket as TLSSocket;
    const { subject } = socket.getPeerCertificate() as { subject?: { UID?: string } };
    this.connections.set(session, {
      certificateUid: subject?.UID ?? null,
      trusted: socket.authorized,
      openStreams: 0,
      nextStreamId: 1,
    });
    this.sessions.add(session);
    session.on('close', () => this.sessions.delete(session));
  }

  private read(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const connection = stream.session && this.connections.get(stream.session);
    if (!connection) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    this.count(stream, connection);
    let open = true;
    // Count the stream as closed now, because the client may open its next stream immediately.
    const done = () => {
      if (open) connection.openStreams--;
      open = false;
    };
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('error', () => undefined);
    stream.on('close', done);
    stream.on('data', (chunk: Buffer) => {
      if (size < MAX_BODY_BYTES) chunks.push(chunk);
      size += chunk.length;
    });
    stream.on('end', () => {
      if (stream.aborted) return;
      const body = Buffer.concat(chunks);
      const push = pushOf(headers, body.toString('utf8'), connection.certificateUid, this.now());
      this.pushes.push(push);
      const response = this.responseTo(push, judge(headers, body, connection));
      if (!response) return;
      const send = () => {
        done();
        this.send(stream, push, response);
      };
      if (this.delayMs > 0) setTimeout(send, this.delayMs).unref();
      else send();
    });
  }

  private count({ id = 0 }: ServerHttp2Stream, connection: Connection): void {
    this.mostOpenStreams = Math.max(this.mostOpenStreams, ++connection.openStreams);
    // A client's stream ids are consecutive odd numbers, so a gap shows rejected streams.
    this.rejectedStreams += (id - connection.nextStreamId) / 2;
    connection.nextStreamId = id + 2;
  }

  /**
   * Returns the response to a request. An invalid request gets the response of the rules, and uses no scripted
   * response.
   */
  private responseTo({ token }: FakeApnsPush, byTheRules: ApnsResponse): ApnsResponse | null {
    if (byTheRules.status !== 200) return byTheRules;
    const reported = this.script.next(token);
    return reported === undefined ? byTheRules : reported;
  }

  private send(stream: ServerHttp2Stream, push: FakeApnsPush, response: ApnsResponse): void {
    const { status, reason, timestamp, retryAfter } = response;
    if (stream.destroyed || stream.closed) return;
    const headers: Record<string, string | number> = { ':status': status, 'apns-id': push.apnsId };
    if (retryAfter !== undefined) headers['retry-after'] = retryAfter;
    push.status = status;
    push.reason = reason ?? null;
    if (status === 200) {
      stream.respond(headers, { endStream: true });
      this.accepted.put(push);
      for (const listener of this.listeners) listener(push);
      return;
    }
    stream.respond(headers);
    const since = timestamp ?? (status === 410 ? this.now().getTime() : undefined);
    stream.end(response.body ?? JSON.stringify({ reason, timestamp: since }));
    this.rejected.put(push);
  }
}
