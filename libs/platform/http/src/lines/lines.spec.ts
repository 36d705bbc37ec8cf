import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { ConcurrencyLimiter, inRequestOf, RequestSlot, ValidationFailed, withoutSlot } from '@passwright/core';
import express, { type NextFunction, type Request, type Response } from 'express';
import fc from 'fast-check';
import { identifyRequests } from '../request/request-id.js';
import { limitBodyTime } from '../request/body-timeout.js';
import { sendLines } from './send-lines.js';
import { ndjsonLines, type Line } from './ndjson-lines.js';

let server: Server;
let batches: object[][] = [];
let check: (values: object[]) => Promise<object[]>;
let work: (values: object[]) => Promise<object[]>;
let linesOf: (request: Request) => AsyncIterable<Line[]>;
let limiter: ConcurrencyLimiter;

beforeAll(async () => {
  Logger.overrideLogger(false);
  const app = express();
  app.use(identifyRequests, limitBodyTime);
  app.post('/', (request: Request, response: Response, next: NextFunction) => {
    const counted = (values: object[]) => {
      batches.push(values);
      return work(values);
    };
    const origin = { ip: undefined, requestId: 'r', slot: new RequestSlot(limiter, 'tenant') };
    Promise.resolve()
      .then(() =>
        inRequestOf(origin, () =>
          sendLines(request, response, linesOf(request), {
            most: 10,
            check: (values) => check(values),
            work: counted,
            errorHelpUrl: 'http://localhost/errors',
          }),
        ),
      )
      .catch(next);
  });
  app.use((error: { statusCode: number; code: string }, _: Request, response: Response, _next: NextFunction) => {
    response.status(error.statusCode).json({ code: error.code });
  });
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  batches = [];
  limiter = new ConcurrencyLimiter({ width: 20, maxWaitingPerKey: 20, maxWaiting: 20, rejection: 'Too many.' });
  linesOf = ndjsonLines;
  check = (values) => Promise.resolve(values);
  work = (values) => Promise.resolve(values.map((value) => ({ echo: value })));
});

function open(headers: Record<string, string> = { 'Content-Type': 'application/x-ndjson' }): ClientRequest {
  const { port } = server.address() as AddressInfo;
  return httpRequest({ host: '127.0.0.1', port, method: 'POST', headers });
}

async function responseTo(body: string | Buffer, headers?: Record<string, string>) {
  const call = open(headers);
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return {
    status: response.statusCode,
    text,
    lines: () =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

describe('line-by-line responses', () => {
  it('sendLines reads at most 200 lines at once and pauses after each group, even if more arrive together', async () => {
    const groups: { size: number; turn: number }[] = [];
    let turn = 0;
    let ticker = setImmediate(function tick() {
      turn += 1;
      ticker = setImmediate(tick);
    });
    linesOf = async function* (request) {
      for await (const lines of ndjsonLines(request)) {
        groups.push({ size: lines.length, turn });
        yield lines;
      }
    };
    const { lines } = await responseTo('x\n'.repeat(30_000));
    clearImmediate(ticker);
    expect(lines()).toHaveLength(30_000);
    expect(Math.max(...groups.map(({ size }) => size))).toBeLessThanOrEqual(200);
    expect(new Set(groups.map((group) => group.turn)).size).toBe(groups.length);
  });

  it('sendLines responds to each line with one line, skips blank lines and accepts a missing last newline', async () => {
    const { status, lines } = await responseTo('{"a":1}\n\n  \r\n{"a":2}\r\n{"a":3}');
    expect(status).toBe(200);
    expect(lines()).toEqual([1, 2, 3].map((a, index) => ({ index, echo: { a } })));
  });

  it('sendLines calls `work` again with the lines that had no result', async () => {
    const given: number[][] = [];
    work = (values) => {
      given.push(values.map((value) => (value as { a: number }).a));
      return Promise.resolve(values.slice(0, 2).map((value) => ({ echo: value })));
    };
    const { lines } = await responseTo('{"a":0}\n{oops}\n{"a":2}\n{"a":3}\n{oops}\n{"a":5}\n');
    expect(given).toEqual([
      [0, 2, 3, 5],
      [3, 5],
    ]);
    expect(lines().map((line) => line.echo?.a ?? line.code)).toEqual([0, 'malformed_json', 2, 3, 'malformed_json', 5]);
    expect(lines().map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('sendLines reports the error of each bad line and processes the other lines', async () => {
    const long = JSON.stringify({ a: 'x'.repeat(70_000) });
    const nested = `${'['.repeat(40)}${']'.repeat(40)}`;
    const { lines } = await responseTo(`{"a":1}\n{oops}\n[1]\n7\n${nested}\n${long}\n{"a":"\\u0000"}\n{"a":2}\n`);
    expect(lines().map((line) => line.code ?? 'done')).toEqual([
      'done',
      'malformed_json',
      'malformed_json',
      'malformed_json',
      'malformed_json',
      'payload_too_large',
      'validation_failed',
      'done',
    ]);
    expect(lines().map((line) => line.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(lines()[1].docUrl).toBe('http://localhost/errors#malformed_json');
    expect(batches.flat()).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('sendLines gives each line of a call the error that `work` throws, and hides the details of a crash', async () => {
    work = ([first]) =>
      Promise.reject((first as { a: number }).a === 0 ? new ValidationFailed('no') : new Error('secret'));
    const { lines, text } = await responseTo(Array.from({ length: 11 }, (_, a) => `{"a":${a}}\n`).join(''));
    expect(lines().map((line) => line.code)).toEqual([...Array<string>(10).fill('validation_failed'), 'internal']);
    expect(text).not.toContain('secret');
  });

  it('sendLines gives each line its own error, and logs a crash of several lines once', async () => {
    const crash = new Error('secret');
    const logged = jest.spyOn(Logger.prototype, 'error');
    work = (values) => Promise.resolve([{ echo: values[0] }, new ValidationFailed('no'), crash, crash]);
    const { lines, text } = await responseTo('{"a":0}\n{"a":1}\n{"a":2}\n{"a":3}\n');
    expect(lines().map((line) => line.code ?? line.echo)).toEqual([
      { a: 0 },
      'validation_failed',
      'internal',
      'internal',
    ]);
    expect(text).not.toContain('secret');
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
  });

  it('sendLines passes to `work` only the lines that `check` accepts, in the form that `check` returns', async () => {
    check = (values) =>
      Promise.resolve(values.map((value) => ('bad' in value ? new ValidationFailed('bad') : { checked: value })));
    const { lines } = await responseTo('{"a":1}\n{"bad":true}\n{"a":2}\n');
    expect(lines().map((line) => line.code ?? line.echo)).toEqual([
      { checked: { a: 1 } },
      'validation_failed',
      { checked: { a: 2 } },
    ]);
    expect(batches).toEqual([[{ checked: { a: 1 } }, { checked: { a: 2 } }]]);
  });

  it('sendLines gives each line of a group the error that `check` throws', async () => {
    check = () => Promise.reject(new ValidationFailed('no'));
    const { lines } = await responseTo('{"a":1}\n{"a":2}\n');
    expect(lines().map((line) => line.code)).toEqual(['validation_failed', 'validation_failed']);
    expect(batches).toEqual([]);
  });

  it('sendLines checks lines that arrive while `work` still processes earlier ones', async () => {
    const [working, arrived] = [deferred(), deferred()];
    check = (values) => {
      if (batches.length === 1) arrived.resolve();
      return Promise.resolve(values);
    };
    work = async (values) => {
      if (batches.length === 1) await working.promise;
      return values;
    };
    const call = open();
    call.write('{"a":1}\n');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    call.end('{"a":2}\n{"a":3}\n');
    await arrived.promise;
    expect(batches).toEqual([[{ a: 1 }]]);
    working.resolve();
    const responses = [];
    for await (const line of createInterface(response)) responses.push((JSON.parse(line) as { a: number }).a);
    expect(responses).toEqual([1, 2, 3]);
  });

  it('sendLines runs `work` for one request of a tenant at a time while other tenants are active', async () => {
    limiter.enterNow('other')?.();
    const [working, checked] = [deferred(), deferred()];
    const ends: string[] = [];
    let checks = 0;
    check = (values) => {
      if (++checks === 3) checked.resolve();
      return Promise.resolve(values);
    };
    work = async (values) => {
      const turn = batches.length;
      await working.promise;
      // Make later turns shorter, so that they would end first if all turns ran at the same time.
      for (let left = 3 - turn; left > 0; left--) await new Promise(setImmediate);
      ends.push(`${turn} of ${batches.length}`);
      return values;
    };
    const responses = ['{"a":1}', '{"a":2}', '{"a":3}'].map((line) => responseTo(line));
    await checked.promise;
    working.resolve();
    for (const { text } of await Promise.all(responses)) expect(text).toContain('"index":0,"a"');
    expect(ends).toEqual(['1 of 1', '2 of 2', '3 of 3']);
  });

  it('sendLines occupies no slot while `work` waits for another server, so that other tenants get one', async () => {
    limiter = new ConcurrencyLimiter({ width: 1, maxWaitingPerKey: 5, maxWaiting: 5, rejection: 'Too many.' });
    let isFree = false;
    const look = () => {
      const leave = limiter.enterNow('other');
      isFree = leave !== null;
      leave?.();
      return Promise.resolve();
    };
    work = async (values) => {
      await withoutSlot(look);
      return values;
    };
    expect((await responseTo('{"a":1}')).lines()).toEqual([{ index: 0, a: 1 }]);
    expect(isFree).toBe(true);
  });

  it('sendLines combines up to five groups, but never passes more than `most` lines to `work`', async () => {
    const grouped = (...sizes: number[]) =>
      async function* () {
        for (const size of sizes) yield await Promise.resolve(Array.from({ length: size }, () => ({ value: {} })));
      };
    work = async (values) => {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      return values;
    };
    linesOf = grouped(1, 1, 1, 1, 1, 1, 1, 1);
    await responseTo('');
    linesOf = grouped(4, 4, 4, 4, 4);
    await responseTo('');
    linesOf = grouped(12, 12);
    await responseTo('');
    expect(batches.map(({ length }) => length)).toEqual([1, 5, 2, 4, 8, 8, 10, 2, 10, 2]);
  });

  it('sendLines passes a fifth of `most` lines to `work` while other tenants are active', async () => {
    const body = Array.from({ length: 7 }, (_, n) => `{"n":${n}}\n`).join('');
    work = (values) => {
      // Make the other tenant active only after the first call.
      limiter.enterNow('other')?.();
      return Promise.resolve(values.slice(0, 3));
    };
    const { lines } = await responseTo(body);
    expect(lines()).toHaveLength(7);
    expect(batches.map((values) => values.length)).toEqual([7, 2, 2]);
  });

  it('sendLines continues after a group that has no lines', async () => {
    linesOf = async function* () {
      for (const group of [[{ value: { a: 1 } }], [], [], [], [], [], [], [{ value: { a: 2 } }], []]) {
        await Promise.resolve();
        yield group;
      }
    };
    expect((await responseTo('')).lines()).toEqual([
      { index: 0, echo: { a: 1 } },
      { index: 1, echo: { a: 2 } },
    ]);
  });

  it('sendLines responds to a line before the client sends the next one', async () => {
    const call = open();
    call.write('{"a":1}\n');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const lines = createInterface(response)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('{"index":0,"echo":{"a":1}}');
    call.write('{"a":');
    call.end('2}\n');
    expect((await lines.next()).value).toBe('{"index":1,"echo":{"a":2}}');
    expect((await lines.next()).done).toBe(true);
  });

  it('sendLines does not start further work once the client has disconnected', async () => {
    const seen = deferred();
    const gone = deferred();
    work = async (values) => {
      seen.resolve();
      await gone.promise;
      return values;
    };
    const call = open();
    call.on('error', () => undefined);
    const closed = once(server, 'request').then(([, response]) => once(response as Response, 'close'));
    call.write(Array.from({ length: 40 }, () => '{}\n').join(''));
    await seen.promise;
    call.destroy();
    await closed;
    gone.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toHaveLength(1);
  });

  it('sendLines stops after the lines in progress when the node stops', async () => {
    const call = open();
    call.write('{"a":1}\n');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const lines = createInterface(response)[Symbol.asyncIterator]();
    await lines.next();
    const listening = jest.spyOn(server, 'listening', 'get').mockReturnValue(false);
    call.write('{"a":2}\n');
    expect((await lines.next()).value).toBe('{"index":1,"echo":{"a":2}}');
    expect((await lines.next()).done).toBe(true);
    listening.mockRestore();
    call.on('error', () => undefined).destroy();
  });

  it.each([
    ['another charset', { 'Content-Type': 'application/x-ndjson; charset=iso-8859-1' }],
    ['another media type', { 'Content-Type': 'application/json' }],
    ['none', {}],
    ['a compressed body', { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' }],
  ])('415 for %s, before any line is processed', async (_, headers: Record<string, string>) => {
    const { status, text } = await responseTo('{"a":1}\n', headers);
    expect([status, text]).toEqual([415, '{"code":"unsupported_media_type"}']);
    expect(batches).toEqual([]);
  });
});

describe('lines of a body', () => {
  it('ndjsonLines yields after each 200 lines, even if all of them are blank, so that they do not block', async () => {
    const body = Readable.from([Buffer.from('\n'.repeat(1000))]);
    const request = Object.assign(body, { headers: { 'content-type': 'application/x-ndjson' } });
    const groups: Line[][] = [];
    for await (const some of ndjsonLines(request as unknown as IncomingMessage)) groups.push(some);
    expect(groups).toEqual([[], [], [], [], []]);
  });

  it('sendLines reads the same lines, however the network splits the body', async () => {
    const bodies = fc.array(fc.jsonValue().map((value) => JSON.stringify({ value })));
    await fc.assert(
      fc.asyncProperty(bodies, fc.array(fc.nat(50)), async (texts, cuts) => {
        const bytes = Buffer.from(texts.join('\n'));
        const values = await valuesOf(pieces(bytes, cuts));
        expect(values).toEqual(await valuesOf([bytes]));
        expect(values).toHaveLength(texts.length);
      }),
      { numRuns: 100 },
    );
  });
});

async function valuesOf(chunks: Buffer[]): Promise<Line[]> {
  const body = Object.assign(
    (async function* () {
      for (const chunk of chunks) yield await Promise.resolve(chunk);
    })(),
    { headers: { 'content-type': 'application/x-ndjson' } },
  );
  const lines: Line[] = [];
  for await (const some of ndjsonLines(body as unknown as IncomingMessage)) lines.push(...some);
  return lines;
}

function pieces(bytes: Buffer, cuts: number[]): Buffer[] {
  const result: Buffer[] = [];
  let start = 0;
  for (const cut of cuts) result.push(bytes.subarray(start, (start += cut)));
  return [...result, bytes.subarray(start)];
}

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
