import { followEvents, Passwright } from './index.js';
import { json, rejection, ScriptedService } from './scripted-service.fixtures.js';

let service: ScriptedService;
let passwright: Passwright;

beforeAll(async () => {
  service = await ScriptedService.start();
  passwright = new Passwright({ baseUrl: service.baseUrl });
});
afterAll(() => service.stop());

const event = { id: 'evt_1', type: 'pass.installed', timestamp: '2026-11-20T10:00:00.000Z', data: { passId: 'ada' } };
const page = (cursor: string, data: object[] = [], nextCursor: string | null = null) =>
  json(200, { data, nextCursor, cursor });
const queries = () => service.received.map(({ url }) => new URL(url, service.baseUrl).search);

it('followEvents waits for new events, and continues after the last event that it received', async () => {
  service.script(page('a', [event], 'a'), page('b'), rejection(503, 'not_ready', { 'Retry-After': '0' }), page('c'));
  const seen: string[] = [];
  for await (const { data, cursor } of followEvents(passwright, { webhookId: 'whk_1', from: 'now' })) {
    seen.push(`${cursor}:${data.map(({ id }) => id).join()}`);
    // The check of `type` narrows the type of `data`.
    for (const one of data) if (one.type === 'pass.installed') expect(one.data.passId).toBe('ada');
    if (cursor === 'c') break;
  }
  expect(seen).toEqual(['a:evt_1', 'b:', 'c:']);
  const parameters = 'limit=100&from=now&wait=25';
  expect(queries()).toEqual([
    `?${parameters}`,
    `?${parameters}&cursor=a`,
    `?${parameters}&cursor=b`,
    `?${parameters}&cursor=b`,
  ]);
  expect(service.received[0]?.url).toMatch(/^\/v1\/webhooks\/whk_1\/events\?/);
});

it('followEvents begins at a given cursor, and throws the error of a failed call', async () => {
  service.script(rejection(400, 'validation_failed'));
  const reading = followEvents(passwright, { webhookId: 'whk_1', cursor: 'old', limit: 5 }).next();
  await expect(reading).rejects.toMatchObject({ code: 'validation_failed' });
  expect(queries()).toEqual(['?limit=5&cursor=old&wait=25']);
});

it('followEvents throws the reason of its abort signal, even while it waits for a response', async () => {
  const ending = new AbortController();
  service.script(page('a'), () => ending.abort(new Error('stop')));
  const pages = followEvents(passwright, { webhookId: 'whk_1', signal: ending.signal });
  await pages.next();
  await expect(pages.next()).rejects.toThrow('stop');
});
