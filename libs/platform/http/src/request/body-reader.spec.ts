import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { NotReady } from '@passwright/core';
import { BodyBudget } from './body-budget.js';
import { BodyReader } from './body-reader.js';

const MAX_BYTES = 1000;
const HOLDER = 'account:acc_1';

let budget: BodyBudget;
let server: Server;
/**
 * The body of the next request, while it is being read. Inside an object, because a promise of a promise would wait for
 * the inner one.
 */
let next: Promise<{ read: Promise<Buffer>; response: ServerResponse }>;

beforeEach(async () => {
  budget = new BodyBudget(2 * MAX_BYTES);
  const reader = new BodyReader(budget);
  next = new Promise((resolve) => {
    server = createServer((request, response) => {
      const read = reader.read(request, response, { maxBytes: MAX_BYTES, holder: HOLDER });
      read.catch(() => undefined);
      resolve({ read, response });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => void server.close());

/** Sends headers that announce 100 bytes, and the first bytes of the body. */
function begin(headers: readonly string[], body: Buffer) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${['POST / HTTP/1.1', 'Host: x', 'Content-Length: 100', ...headers].join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return socket;
}

describe('BodyReader', () => {
  it.each([
    ['plain', [], Buffer.from('{"name":')],
    ['gzip', ['Content-Encoding: gzip'], gzipSync('{"name":"a"}').subarray(0, 12)],
    ['gzip but empty', ['Content-Encoding: gzip'], Buffer.alloc(0)],
    ['deflate', ['Content-Encoding: deflate'], Buffer.from([0x78])],
    ['br', ['Content-Encoding: br'], Buffer.from([0x0b])],
  ])('BodyReader releases the bytes of a %s body when its connection closes', async (_name, headers, body) => {
    const socket = begin(headers, body);
    const { read } = await next;
    socket.destroy();
    await expect(read).rejects.toMatchObject({ statusCode: 400 });
    expect(() => budget.take(HOLDER, MAX_BYTES)).not.toThrow();
  });

  it('BodyReader rejects a body whose connection closed before the read began', async () => {
    const late = new Promise<Buffer>((resolve) => {
      server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
        const read = () => new BodyReader(budget).read(request, response, { maxBytes: MAX_BYTES, holder: HOLDER });
        request.once('close', () => resolve(read()));
        socket.destroy();
      });
    });
    const socket = begin(['Content-Encoding: gzip'], Buffer.alloc(0));
    await expect(late).rejects.toMatchObject({ statusCode: 400 });
    expect(() => budget.take(HOLDER, MAX_BYTES)).not.toThrow();
  });

  it('BodyReader counts a body until its response has been sent', async () => {
    const socket = begin([], Buffer.alloc(100));
    const { read, response } = await next;
    await read;
    const most = 960;
    expect(() => budget.take('account:acc_2', most)).toThrow(NotReady);
    const closed = once(response, 'close');
    response.end();
    await closed;
    expect(() => budget.take('account:acc_2', most)).not.toThrow();
    socket.destroy();
  });

  describe('readArrived', () => {
    /** Sends a body and waits until it has arrived as a whole. */
    async function arrive(headers: readonly string[], body: Buffer) {
      const requested = new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
        server.removeAllListeners('request').on('request', (...both) => resolve(both));
      });
      const socket = begin(headers, body);
      const [request, response] = await requested;
      while (!request.complete) await new Promise(setImmediate);
      return { socket, request, response };
    }

    const limits = { maxBytes: MAX_BYTES, holder: HOLDER };

    it('readArrived returns a body that has arrived, and counts it until the response has been sent', async () => {
      const body = Buffer.alloc(100, 'a');
      const { socket, request, response } = await arrive([], body);
      const ended = once(request, 'end');
      expect(new BodyReader(budget).readArrived(request, response, limits)).toEqual(body);
      await ended;
      expect(() => budget.take('account:acc_2', 960)).toThrow(NotReady);
      const closed = once(response, 'close');
      response.end();
      await closed;
      expect(() => budget.take('account:acc_2', 960)).not.toThrow();
      socket.destroy();
    });

    it.each([
      ['is compressed', ['Content-Encoding: gzip'], MAX_BYTES],
      ['has an unknown Content-Encoding', ['Content-Encoding: zip'], MAX_BYTES],
      ['is larger than the limit', [], 99],
    ])('readArrived returns null for a body that %s', async (_name, headers, maxBytes) => {
      const { socket, request, response } = await arrive(headers, Buffer.alloc(100));
      expect(new BodyReader(budget).readArrived(request, response, { ...limits, maxBytes })).toBeNull();
      expect(request.readableLength).toBe(100);
      socket.destroy();
    });

    it('readArrived returns null for a body whose end has not arrived', async () => {
      const requested = new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
        server.removeAllListeners('request').on('request', (...both) => resolve(both));
      });
      const socket = begin([], Buffer.alloc(99));
      const [request, response] = await requested;
      while (request.readableLength < 99) await new Promise(setImmediate);
      expect(new BodyReader(budget).readArrived(request, response, limits)).toBeNull();
      socket.destroy();
    });

    it("429 rate_limited for a body larger than the rest of its caller's share", async () => {
      const { socket, request, response } = await arrive([], Buffer.alloc(100));
      budget.take(HOLDER, MAX_BYTES - 1);
      expect(() => new BodyReader(budget).readArrived(request, response, limits)).toThrow(
        expect.objectContaining({ statusCode: 429 }),
      );
      budget.release(HOLDER, MAX_BYTES - 1);
      expect(() => budget.take(HOLDER, MAX_BYTES)).not.toThrow();
      socket.destroy();
    });
  });
});
