import type { ServerResponse } from 'node:http';
import { type BatchLine, type BatchedPass, PassExists, Passwright, TemplateNotFound } from './index.js';
import { rejection, ScriptedService } from './scripted-service.fixtures.js';

let service: ScriptedService;
let passwright: Passwright;

beforeAll(async () => {
  service = await ScriptedService.start();
  passwright = new Passwright({ baseUrl: service.baseUrl });
});
afterAll(() => service.stop());

interface Sent {
  readonly body: string;
  readonly url: string;
}
const linesOf = ({ body }: Sent) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string });

/**
 * Responds like a service that stores passes in memory.
 * @param most the number of lines that get a response before the connection breaks
 */
const store = (known = new Set<string>()) => {
  const responding =
    (most = Infinity, breaking: 'destroy' | 'end' = 'destroy') =>
    (response: ServerResponse, sent: Sent) => {
      const skips = sent.url.endsWith('existing=skip');
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      const lines = linesOf(sent).map(({ id }, index) => {
        const existing = known.has(id);
        known.add(id);
        const rejected = { statusCode: 409, code: 'pass_exists', message: `There is ${id}.` };
        return `${JSON.stringify({ index, ...(existing && !skips ? rejected : { id, ...(existing && { existing }) }) })}\n`;
      });
      if (lines.length <= most) return void response.end(lines.join(''));
      // Send only the start of the last line.
      const said = lines.slice(0, most).join('') + (breaking === 'destroy' ? '{"index":' : '');
      response.write(said, () => response[breaking]());
    };
  return { known, responding };
};
const ids = (count: number) => Array.from({ length: count }, (_, number) => ({ id: `p${number}` }));
async function all<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const line of lines) list.push(line);
  return list;
}
const responded = (lines: BatchLine<BatchedPass>[]) => lines.map((line) => (line.error ? line.error.code : line.id));

describe('sending lines', () => {
  it('the client splits many lines into several requests, and numbers their results continuously', async () => {
    service.script(store().responding());
    const lines = await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(2001)));
    expect(responded(lines)).toEqual(ids(2001).map(({ id }) => id));
    expect(lines.map(({ index }) => index)).toEqual(ids(2001).map((_, index) => index));
    expect(service.received.map((sent) => linesOf(sent).length)).toEqual([1000, 1000, 1]);
    expect(service.received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/pass/gold/batch',
      headers: { 'content-type': 'application/x-ndjson' },
    });
  });

  it('the result of a failed line contains an error whose class matches its code', async () => {
    service.script(store(new Set(['p1'])).responding());
    const [first, second] = await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(2)));
    expect(first?.error).toBeUndefined();
    expect(second?.error).toBeInstanceOf(PassExists);
    expect(second).toMatchObject({ index: 1, error: { message: 'There is p1.' } });
  });

  it('the client sends fewer long lines per request, because proxies limit the size of a body', async () => {
    service.script(store().responding());
    const long = ids(10).map(({ id }) => ({ id, code: 'x'.repeat(60_000) }));
    await all(passwright.createPassesFrom({ templateId: 'gold' }, long));
    expect(Math.max(...service.received.map(({ body }) => body.length))).toBeLessThan(400_000);
    expect(service.received).toHaveLength(2);
  });

  it('the client reads lines no faster than it sends them', async () => {
    service.script(store().responding());
    let read = 0;
    const endless = (function* () {
      for (;;) yield { id: `p${read++}` };
    })();
    for await (const { index } of passwright.createPassesFrom({ templateId: 'gold' }, endless))
      if (index === 999) break;
    expect([read, endless.next().done]).toEqual([1000, true]);
  });

  it('the client sends the lines of a slow source without waiting until a request is full', async () => {
    service.script(store().responding());
    async function* slow() {
      yield { id: 'p0' };
      await new Promise(() => undefined);
    }
    const lines = passwright.createPassesFrom({ templateId: 'gold' }, slow());
    expect((await lines.next()).value).toMatchObject({ index: 0, id: 'p0' });
    await lines.return();
  });

  it('the client sends members in the same way as passes', async () => {
    service.script(store().responding());
    const lines = passwright.importMembersFrom({ existing: 'skip' }, [{ email: 'ada@example.com', name: 'Ada' }]);
    expect(await all(lines)).toHaveLength(1);
    expect(service.received[0]?.url).toBe('/v1/memberships/members/import?existing=skip');
  });
});

describe('a broken response', () => {
  it.each(['destroy', 'end'] as const)(
    'every line is processed and reported exactly once despite a broken response (%s)',
    async (breaking) => {
      const { known, responding } = store();
      service.script(responding(), responding(150, breaking), responding(100, breaking), responding());
      const lines = await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(2100)));
      expect(responded(lines)).toEqual(ids(2100).map(({ id }) => id));
      expect(known.size).toBe(2100);
      expect(service.received.map(({ url }) => url.endsWith('?existing=skip'))).toEqual([
        false,
        false,
        true,
        true,
        false,
      ]);
    },
  );

  it('passes without an id are created and reported exactly once, even if a response breaks off', async () => {
    const { known, responding } = store();
    service.script(responding(1), responding());
    const lines = await all(
      passwright.createPassesFrom({ templateId: 'gold' }, [{}, {}, { id: null }, { id: 'mine' }]),
    );
    expect(known.size).toBe(4);
    expect(lines.map((line) => 'existing' in line)).toEqual([false, false, false, true]);
  });

  it('a batch whose responses keep breaking off yields the results so far, and then fails', async () => {
    const { responding } = store();
    service.script(responding(), responding(1));
    const seen: number[] = [];
    const reading = async () => {
      for await (const { index } of passwright.createPassesFrom({ templateId: 'gold', retries: 1 }, ids(1500)))
        seen.push(index);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'connection_failed' });
    expect(seen).toHaveLength(1000);
  });
});

it('a batch throws the error of a rejected request, and closes the source of its lines', async () => {
  service.script(rejection(404, 'template_not_found'));
  let closed = false;
  function* lines() {
    try {
      yield* ids(1000);
    } finally {
      closed = true;
    }
  }
  await expect(all(passwright.createPassesFrom({ templateId: 'none' }, lines()))).rejects.toBeInstanceOf(
    TemplateNotFound,
  );
  expect(closed).toBe(true);
});

it('a malformed response line fails with the code unexpected_response', async () => {
  service.script((response) => response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).end('<html>\n'));
  await expect(all(passwright.createPassesFrom({ templateId: 'gold' }, ids(1)))).rejects.toMatchObject({
    code: 'unexpected_response',
  });
});

it('the client sends the same lines again after the service has rejected a request with 429', async () => {
  const { responding } = store();
  service.script(rejection(429, 'rate_limited', { 'Retry-After': '0' }), responding());
  await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(2)));
  expect(service.received.map(({ url }) => url)).toEqual(['/v1/pass/gold/batch', '/v1/pass/gold/batch']);
});
