// A proxy between a node and Postgres that interrupts a connection at an exact byte.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How long the rest of a message is held back, so that the receiver handles both parts separately. */
const PAUSE_MS = 2;
const HEADER_BYTES = 5;

/** The faults: three that end a connection, and one that only holds the rest of the stream back. */
export const faults = ['cut', 'reset', 'terminated', 'split'];

/**
 * Counts the bytes of both directions over all connections, from `begin` on. So a byte is named by its place in the
 * whole exchange, on whichever connection it travels.
 */
export class CuttingProxy {
  #sockets = new Set();
  #fault = null;
  #passed = { client: 0, server: 0 };
  /** The places in the server's stream at which a message ended, since `begin`. */
  boundaries = [];
  /** True if the fault has happened since `begin`. */
  hasStruck = false;

  /** @returns the port for the node */
  async open(port) {
    this.server = createServer((client) => this.#join(client, connect(port, '127.0.0.1'))).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return /** @type {import('node:net').AddressInfo} */ (this.server.address()).port;
  }

  /**
   * Begins to count.
   * @param fault `side`: whose stream; `at`: the number of bytes that pass before the fault; `how`: one of `faults`.
   * `terminated` inserts Postgres's own message at the next end of a message.
   */
  begin(fault = null) {
    this.#fault = fault;
    this.#passed = { client: 0, server: 0 };
    this.boundaries = [];
    this.hasStruck = false;
  }

  /** Stops interrupting. @returns the number of bytes in each direction since `begin` */
  end() {
    this.#fault = null;
    return { ...this.#passed };
  }

  close() {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client, server) {
    const sockets = [client, server];
    const cut = () => sockets.forEach((socket) => socket.destroy());
    const reset = () => sockets.forEach((socket) => socket.resetAndDestroy());
    for (const socket of sockets) {
      this.#sockets.add(socket.setNoDelay());
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
      socket.on('close', cut);
    }
    void this.#carry('client', client, server, { cut, reset });
    void this.#carry('server', server, client, { cut, reset });
  }

  async #carry(side, from, to, { cut, reset }) {
    const messages = new Messages();
    try {
      for await (const bytes of from) await this.#forward({ side, messages, to, cut, reset }, bytes);
    } catch {
      cut();
    }
  }

  async #forward({ side, messages, to, cut, reset }, bytes) {
    const ends = side === 'server' ? messages.endsIn(bytes) : [];
    const begin = this.#passed[side];
    this.#passed[side] += bytes.length;
    this.boundaries.push(...ends.map((end) => begin + end));
    const at = this.#placeOfFault(side, begin, bytes.length, ends);
    if (at === null) return void to.write(bytes);
    const { how } = this.#fault;
    this.#fault = null;
    this.hasStruck = true;
    to.write(bytes.subarray(0, at));
    if (how === 'split') {
      await pause(PAUSE_MS);
      return void to.write(bytes.subarray(at));
    }
    if (how === 'terminated') to.write(terminated);
    if (how === 'reset') return void to.write('', reset);
    to.end();
    to.once('finish', cut);
  }

  /** Returns how many of these bytes pass before the fault; null if it does not happen among them. */
  #placeOfFault(side, begin, length, ends) {
    const fault = this.#fault;
    if (fault?.side !== side || begin + length < fault.at) return null;
    const first = Math.max(0, fault.at - begin);
    return fault.how === 'terminated' ? (ends.find((end) => end >= first) ?? null) : first;
  }
}

/** Finds the ends of the server's messages: a type of one byte, a length of four bytes, and the rest. */
class Messages {
  #left = 0;
  #header = Buffer.alloc(0);

  endsIn(bytes) {
    const ends = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const part = bytes.subarray(at, at + HEADER_BYTES - this.#header.length);
        this.#header = Buffer.concat([this.#header, part]);
        at += part.length;
        if (this.#header.length < HEADER_BYTES) break;
        this.#left = this.#header.readInt32BE(1) - (HEADER_BYTES - 1);
        this.#header = Buffer.alloc(0);
      }
      const part = Math.min(this.#left, bytes.length - at);
      this.#left -= part;
      at += part;
      if (this.#left === 0) ends.push(at);
    }
    return ends;
  }
}

/** The message with which Postgres ends a connection when an administrator stops it. */
const terminated = (() => {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''));
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('E');
  header.writeInt32BE(body.length + HEADER_BYTES - 1, 1);
  return Buffer.concat([header, body]);
})();
