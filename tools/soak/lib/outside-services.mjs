// External services that a test can make misbehave: webhook receivers and a mail server.
import { once } from 'node:events';
import { createServer as createTcpServer, connect } from 'node:net';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** Bytes that are not a valid message of any protocol. */
const GARBAGE = Buffer.alloc(65_536, 0xff);

/** The milliseconds between two bytes of a response that drips. */
const DRIP_MS = 100;

/** A port in front of an external server. It forwards data or simulates a network error. */
export class BrokenPort {
  /**
   * The current error: `none`, `reject`, `hang`, `garbage`, `reset`, `cut` (resets the connection after the request) or
   * `drip` (sends the response byte by byte). The server itself simulates any other error.
   */
  problem = 'none';
  #sockets = new Set();

  async listen(port) {
    this.server = createTcpServer((socket) => this.#take(socket, port)).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const { port: own } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    this.host = `127.0.0.1:${own}`;
  }

  /** Begins a fault, and closes the open connections. */
  begin(problem) {
    this.problem = problem;
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket, port) {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    if (this.problem === 'reject' || this.problem === 'reset') return void socket.resetAndDestroy();
    if (this.problem === 'hang') return void socket.resume();
    if (this.problem === 'garbage') return void socket.end(GARBAGE);
    if (this.problem === 'cut') return void socket.once('data', () => socket.resetAndDestroy());
    const behind = connect(port, '127.0.0.1');
    behind.on('error', () => socket.destroy());
    socket.on('close', () => behind.destroy());
    socket.pipe(behind);
    if (this.problem === 'drip') return drip(behind, socket);
    behind.pipe(socket);
  }

  close() {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
  }
}

/** Forwards data one byte at a time. */
function drip(from, to) {
  const bytes = [];
  from.on('data', (part) => bytes.push(...part));
  const drops = setInterval(() => {
    if (bytes.length > 0) to.write(Buffer.of(bytes.shift()));
  }, DRIP_MS);
  to.on('close', () => clearInterval(drops));
}

/** A webhook receiver. `received` contains the number of 200 responses for each event id. */
export class WebhookReceiver extends BrokenPort {
  received = new Map();
  /** @type {import('node:http').Server} */
  http;
  url = '';
  /** The longest time in seconds from an event to its first delivery. */
  latest = 0;

  static async start() {
    const receiver = new WebhookReceiver();
    receiver.http = createServer((request, response) => void receiver.#answer(request, response));
    receiver.http.listen(0, '127.0.0.1');
    await once(receiver.http, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (receiver.http.address());
    await receiver.listen(port);
    receiver.url = `http://${receiver.host}/hook`;
    return receiver;
  }

  async #answer(request, response) {
    const id = request.headers['webhook-id'];
    const body = await text(request).catch(() => '');
    if (this.problem === 'slow') await new Promise((resolve) => setTimeout(resolve, 3000));
    if (this.problem === 'lie') {
      // Announce an endless body, but send none of it.
      response.writeHead(503, { 'Retry-After': '99999999999', Location: 'http://169.254.169.254/' });
      const pour = setInterval(() => response.write(GARBAGE), 1);
      return void response.on('error', () => undefined).on('close', () => clearInterval(pour));
    }
    if (!this.received.has(id)) this.#noteDelay(body);
    this.received.set(id, (this.received.get(id) ?? 0) + 1);
    response.end();
  }

  #noteDelay(body) {
    const { timestamp } = JSON.parse(body);
    this.latest = Math.max(this.latest, (Date.now() - Date.parse(timestamp)) / 1000);
  }

  stop() {
    this.close();
    this.http.closeAllConnections();
    this.http.close();
  }
}

/**
 * A mail server. `received` contains the recipients of accepted mails whose sender has stayed connected until the end.
 */
export class MailServer extends BrokenPort {
  received = new Set();
  #closed = new Set();
  /** @type {SMTPServer} */
  smtp;
  url = '';

  static async start() {
    const mails = new MailServer();
    mails.smtp = new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      disableReverseLookup: true,
      closeTimeout: 50,
      onData: (stream, session, done) => mails.#take(stream, session, done),
      onClose: ({ id }) => mails.#closed.add(id),
    });
    mails.smtp.on('error', () => undefined);
    mails.smtp.listen(0, '127.0.0.1');
    await once(mails.smtp.server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (mails.smtp.server.address());
    await mails.listen(port);
    mails.url = `smtp://${mails.host}`;
    return mails;
  }

  async #take(stream, session, done) {
    await text(stream).catch(() => '');
    if (this.problem === 'slow') await new Promise((resolve) => setTimeout(resolve, 3000));
    if (this.problem === 'lie') return done(Object.assign(new Error('Try again later'), { responseCode: 451 }));
    if (!this.#closed.has(session.id)) for (const { address } of session.envelope.rcptTo) this.received.add(address);
    done();
  }

  stop() {
    this.close();
    return new Promise((resolve) => this.smtp.close(() => resolve(undefined)));
  }
}
