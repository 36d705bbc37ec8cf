import type { ServerResponse } from 'node:http';
import { type BatchLine, type BatchedPass, PassExists, Passwright, TemplateNotFound } from './index.js';
import { refusal, ScriptedService } from './scripted-service.fixtures.js';

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

/** As the service answers, for a store of its own. @param most how many of the lines it answers before the connection breaks */
const store = (known = new Set<string>()) => {
  const answering =
    (most = Infinity, breaking: 'destroy' | 'end' = 'destroy') =>
    (response: ServerResponse, sent: Sent) => {
      const skips = sent.url.endsWith('existing=skip');
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      const lines = linesOf(sent).map(({ id }, index) => {
        const existing = known.has(id);
        known.add(id);
        const refused = { statusCode: 409, code: 'pass_exists', message: `There is ${id}.` };
        return `${JSON.stringify({ index, ...(existing && !skips ? refused : { id, ...(existing && { existing }) }) })}\n`;
      });
      if (lines.length <= most) return void response.end(lines.join(''));
      // The last of them only in part.
      const said = lines.slice(0, most).join('') + (breaking === 'destroy' ? '{"index":' : '');
      response.write(said, () => response[breaking]());
    };
  return { known, answering };
};
const ids = (count: number) => Array.from({ length: count }, (_, number) => ({ id: `p${number}` }));
async function all<T>(lines: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const line of lines) list.push(line);
  return list;
}
const answered = (lines: BatchLine<BatchedPass>[]) => lines.map((line) => (line.error ? line.error.code : line.id));

describe('lines', () => {
  it('are answered in their order, counted over all requests, in as many requests as they need', async () => {
    service.script(store().answering());
    const lines = await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(1001)));
    expect(answered(lines)).toEqual(ids(1001).map(({ id }) => id));
    expect(lines.map(({ index }) => index)).toEqual(ids(1001).map((_, index) => index));
    expect(service.received.map((sent) => linesOf(sent).length)).toEqual([400, 400, 201]);
    expect(service.received[0]).toMatchObject({
      method: 'POST',
      url: '/v1/pass/gold/batch',
      headers: { 'content-type': 'application/x-ndjson' },
    });
  });

  it('say what is wrong with each, as an error of its class', async () => {
    service.script(store(new Set(['p1'])).answering());
    const [first, second] = await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(2)));
    expect(first?.error).toBeUndefined();
    expect(second?.error).toBeInstanceOf(PassExists);
    expect(second).toMatchObject({ index: 1, error: { message: 'There is p1.' } });
  });

  it('of long passes go in more requests, as proxies bound a body', async () => {
    service.script(store().answering());
    const long = ids(10).map(({ id }) => ({ id, code: 'x'.repeat(60_000) }));
    await all(passwright.createPassesFrom({ templateId: 'gold' }, long));
    expect(Math.max(...service.received.map(({ body }) => body.length))).toBeLessThan(400_000);
    expect(service.received).toHaveLength(2);
  });

  it('are read no further than they are sent', async () => {
    service.script(store().answering());
    let read = 0;
    const endless = (function* () {
      for (;;) yield { id: `p${read++}` };
    })();
    for await (const { index } of passwright.createPassesFrom({ templateId: 'gold' }, endless))
      if (index === 399) break;
    expect([read, endless.next().done]).toEqual([400, true]);
  });

  it('that come now and then are not kept for others', async () => {
    service.script(store().answering());
    async function* slow() {
      yield { id: 'p0' };
      await new Promise(() => undefined);
    }
    const lines = passwright.createPassesFrom({ templateId: 'gold' }, slow());
    expect((await lines.next()).value).toMatchObject({ index: 0, id: 'p0' });
    await lines.return();
  });

  it('of members are sent as lines as well', async () => {
    service.script(store().answering());
    const lines = passwright.importMembersFrom({ existing: 'skip' }, [{ email: 'ada@example.com', name: 'Ada' }]);
    expect(await all(lines)).toHaveLength(1);
    expect(service.received[0]?.url).toBe('/v1/memberships/members/import?existing=skip');
  });
});

describe('when an answer breaks off', () => {
  it.each(['destroy', 'end'] as const)('(%s) each line is done once, and answered once', async (breaking) => {
    const { known, answering } = store();
    service.script(answering(), answering(150, breaking), answering(100, breaking), answering());
    const lines = await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(900)));
    expect(answered(lines)).toEqual(ids(900).map(({ id }) => id));
    expect(known.size).toBe(900);
    expect(service.received.map(({ url }) => url.endsWith('?existing=skip'))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('passes without an id of the caller are not made twice, nor called existing', async () => {
    const { known, answering } = store();
    service.script(answering(1), answering());
    const lines = await all(
      passwright.createPassesFrom({ templateId: 'gold' }, [{}, {}, { id: null }, { id: 'mine' }]),
    );
    expect(known.size).toBe(4);
    expect(lines.map((line) => 'existing' in line)).toEqual([false, false, false, true]);
  });

  it('and does so again and again, what is answered so far is answered, then the reason', async () => {
    const { answering } = store();
    service.script(answering(), answering(1));
    const seen: number[] = [];
    const reading = async () => {
      for await (const { index } of passwright.createPassesFrom({ templateId: 'gold', retries: 1 }, ids(500)))
        seen.push(index);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'connection_failed' });
    expect(seen).toHaveLength(400);
  });
});

it('a refusal of all lines is thrown, and closes what the lines come from', async () => {
  service.script(refusal(404, 'template_not_found'));
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

it('an answer to a line that is none of the service’s is an error of this client', async () => {
  service.script((response) => response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).end('<html>\n'));
  await expect(all(passwright.createPassesFrom({ templateId: 'gold' }, ids(1)))).rejects.toMatchObject({
    code: 'unexpected_answer',
  });
});

it('lines that were refused for being too many are sent again as they were', async () => {
  const { answering } = store();
  service.script(refusal(429, 'rate_limited', { 'Retry-After': '0' }), answering());
  await all(passwright.createPassesFrom({ templateId: 'gold' }, ids(2)));
  expect(service.received.map(({ url }) => url)).toEqual(['/v1/pass/gold/batch', '/v1/pass/gold/batch']);
});
