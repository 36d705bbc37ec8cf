import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { BillingService } from '@passwright/billing';
import { DataSource } from 'typeorm';
import { RunningService, type Account } from '../support/running-service.js';

let service: RunningService;
let account: Account;

beforeAll(async () => {
  service = await RunningService.start();
});
afterAll(() => service.stop());
beforeEach(async () => {
  account = await service.register();
  await account.saveTemplate('generic', 'g');
});

async function send(body: string, query = '') {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const reply = await service.request('POST', `/v1/pass/g/batch${query}`, { token: account.token, body, headers });
  expect(reply.status).toBe(200);
  return reply.bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
const ndjson = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const seat = (changes: { id?: string; [name: string]: unknown } = {}) => ({ primaryValue: 'Ada', ...changes });

describe('POST /v1/pass/{templateId}/batch', () => {
  it('a batch issues one pass per line, in the order of the lines, with working links', async () => {
    const ids = Array.from({ length: 450 }, (_, index) => `seat-${index}`);
    const lines = await send(ndjson(...ids.map((id) => seat({ id, code: `code-${id}` }))));
    expect(lines.map(({ index, id }) => [index, id])).toEqual(ids.map((id, index) => [index, id]));
    const { body } = await account.get('/v1/pass/g/seat-449');
    const { index: _, id: __, ...links } = lines[449];
    expect(body).toEqual({ pass: expect.objectContaining({ code: 'code-seat-449', primaryValue: 'Ada' }), ...links });
    expect((await account.get('/v1/account')).body.usage).toEqual({ passCreations: 450, activePasses: 450 });
  });

  it('a batch reports the error of each bad line, and issues the passes of all other lines', async () => {
    const thumbnail = 'http://localhost:3000/images/samples/thumbnail.png';
    const lines = await send(
      ndjson(seat({ id: 'a', code: '1' }), seat({ id: 'a' }), seat({ id: 'b', code: '1' }), {}, seat({ nope: 1 })) +
        '{broken\n' +
        ndjson(seat({ id: 'c', thumbnail }), seat({ thumbnail: `${thumbnail}x` }), seat({ id: 'd' })),
    );
    expect(lines.map(({ id, code }) => id ?? code)).toEqual([
      ...['a', 'pass_exists', 'pass_exists', 'validation_failed', 'validation_failed', 'malformed_json'],
      ...['c', 'image_invalid', 'd'],
    ]);
    expect(lines[1].message).toContain('id');
    expect(lines[2].message).toContain('code');
  });

  it('a batch can be sent again after an interruption; lines with existing passes return them unchanged', async () => {
    const passes = Array.from({ length: 30 }, () => seat({ id: randomUUID() }));
    await send(ndjson(...passes.slice(0, 20)));
    const lines = await send(ndjson(...passes), '?existing=skip');
    expect(lines.map(({ id, existing }) => [id, existing ?? false])).toEqual(
      passes.map(({ id }, index) => [id, index < 20]),
    );
  });

  it('a batch issues passes up to the limit of the account, and reports the limit for the other lines', async () => {
    await service.app.get(BillingService).set(account.id, { maxPassCreations: 7 });
    const lines = await send(ndjson(...Array.from({ length: 12 }, () => seat())));
    expect(lines.map(({ id, code }) => (id ? 'issued' : code))).toEqual([
      ...Array<string>(7).fill('issued'),
      ...Array<string>(5).fill('limit_exceeded'),
    ]);
  });

  it('a batch reports an error for each line after the template was archived', async () => {
    const some = ndjson(...Array.from({ length: 200 }, () => seat()));
    const headers = { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${account.token}` };
    const sent = httpRequest(`${service.baseUrl}/v1/pass/g/batch`, { method: 'POST', headers });
    sent.write(some);
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    const responded = text(reply);
    await once(reply, 'data');
    await account.post('/v1/templates/g/archive');
    sent.end(some);
    const codes = (await responded)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ id, code }) => (id ? 'issued' : code));
    expect(codes.slice(-200)).toEqual(Array<string>(200).fill('template_archived'));
    expect(new Set(codes)).toEqual(new Set(['issued', 'template_archived']));
    expect(codes).toHaveLength(400);
  });
});

describe('a batch whose credential is revoked', () => {
  const endings: [string, (account: Account, key: { id: string; key: string }) => Promise<unknown>][] = [
    ['the API key is revoked', (owner, { id }) => owner.delete(`/v1/auth/keys/${id}`)],
    ['the API key is rotated', (owner, { id }) => owner.post(`/v1/auth/keys/${id}/rotate`)],
    [
      'the API key expires',
      (_, { id }) =>
        service.app
          .get(DataSource)
          .query(`UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]),
    ],
  ];

  it.each(endings)('401 unauthorized as the last line of a batch soon after %s', async (_, end) => {
    const owner = await service.register();
    await owner.saveTemplate('offer');
    const { body: key } = await owner.post('/v1/auth/keys', { name: 'Batch', scopes: ['passes:write'] });
    const call = httpRequest(new URL('/v1/pass/offer/batch', service.baseUrl), {
      method: 'POST',
      headers: { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/x-ndjson' },
    });
    call.on('error', () => undefined);
    call.write('{"id":"first"}\n');
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ index: 0, id: 'first' });
    await end(owner, key);
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ index: 1, statusCode: 401, code: 'unauthorized' });
    expect((await lines.next()).done).toBe(true);
    call.write('{"id":"late"}\n');
    expect((await owner.get('/v1/pass/offer/late')).status).toBe(404);
    call.destroy();
  });
});
