import { randomUUID } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DataSource } from 'typeorm';
import { RunningService, type Account } from '../support/running-service.js';

let service: RunningService;
let account: Account;
let key: string;
const path = '/v1/memberships/members/import';

beforeAll(async () => {
  service = await RunningService.start();
});
afterAll(() => service.stop());
beforeEach(async () => {
  account = await service.register();
  key = await account.apiKey('members:read', 'members:write', 'passes:read');
  await account.saveTemplate('membership', 'club');
  await put({ templateId: 'club', reminders: [] });
});

const put = (body: object) => service.request('PUT', '/v1/memberships/settings', { token: key, body });
const person = (changes: object = {}) => ({ email: `${randomUUID()}@example.com`, name: 'Ada Lovelace', ...changes });
const member = async (id: number) =>
  (await service.request('GET', `/v1/memberships/members/${id}`, { token: key })).body;

async function send(body: string, type = 'application/x-ndjson', query = '', token = key) {
  const reply = await service.request('POST', path + query, { token, body, headers: { 'Content-Type': type } });
  const lines = () =>
    reply.bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { ...reply, lines };
}
const ndjson = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('POST /v1/memberships/members/import', () => {
  it('an import creates a member and a pass per line, with ids in the order of the lines', async () => {
    const people = Array.from({ length: 450 }, (_, index) => person({ name: `Member ${index}`, status: 'active' }));
    const { status, headers, lines } = await send(ndjson(...people));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(lines().map(({ index, id }) => [index, id])).toEqual(people.map((_, index) => [index, index + 1]));
    const last = lines()[449];
    expect(await member(450)).toMatchObject({ ...people[449], passId: last.passId, links: last.links });
    const pass = await service.request('GET', `/v1/pass/club/${last.passId}`, { token: key });
    expect(pass.body.pass).toMatchObject({ primaryValue: 'Member 449', voided: false });
  });

  it('an import reports the error of each bad line, creates the other members, and leaves no gap in the ids', async () => {
    const [first, second] = [person(), person()];
    const again = { ...person(), email: first.email.toUpperCase() };
    const { lines } = await send(
      ndjson(first, { name: 'No address' }, { ...person(), nope: 1 }, again, person({ expiry: '2020-01-01T00:00Z' })) +
        '{broken\n' +
        ndjson(second),
    );
    expect(lines().map(({ id, code }) => id ?? code)).toEqual([
      1,
      'validation_failed',
      'validation_failed',
      'member_exists',
      'validation_failed',
      'malformed_json',
      2,
    ]);
  });

  it('an import can be sent again after an interruption; lines with existing members return them unchanged', async () => {
    const people = Array.from({ length: 30 }, () => person());
    await send(ndjson(...people.slice(0, 20)));
    const { lines } = await send(ndjson(...people), undefined, '?existing=skip');
    expect(lines().map(({ id, existing }) => [id, existing ?? false])).toEqual(
      people.map((_, index) => [index + 1, index < 20]),
    );
  });

  it('an import reads CSV columns in any order, in upper or lower case, and stores unknown columns as data', async () => {
    const csv =
      '\ufeffName;x'.replace(';x', '') +
      ',Email,tier,EXPIRY,status\r\n' +
      '"Lovelace, ""Ada""",ada@example.com,gold,2040-12-31T23:00:00Z,active\r\n' +
      'Grace,grace@example.com,,,\r\n' +
      'Nobody,nobody,,,\r\n';
    const { lines } = await send(csv, 'text/csv');
    expect(lines().map(({ id, code }) => id ?? code)).toEqual([1, 2, 'validation_failed']);
    expect(await member(1)).toMatchObject({
      name: 'Lovelace, "Ada"',
      email: 'ada@example.com',
      data: { tier: 'gold' },
      expiry: '2040-12-31T23:00:00.000Z',
      status: 'active',
    });
    expect(await member(2)).toMatchObject({ name: 'Grace', data: {}, status: 'pending' });
  });

  it.each([
    ['has no column for the name', 'email\nada@example.com\n', /"name"/],
    ['has a column twice', 'email,name,EMAIL\na@example.com,Ada,b@example.com\n', /"email" is there twice/],
    ['has more than 64 KiB of cells in a line', `email,name\n${','.repeat(200_000)}\n`, /longer than 65536 bytes/],
    ['has more columns than a person can have', `email,name${',x'.repeat(300)}\n`, /more than 200 columns/],
  ])('the last line of an import reports the problem of a CSV that %s', async (_, csv, message) => {
    const { lines } = await send(csv, 'text/csv');
    expect(lines()).toEqual([
      expect.objectContaining({ index: 0, code: 'validation_failed', message: expect.stringMatching(message) }),
    ]);
  });

  it('an import reports the error of each bad CSV row, and creates the other members', async () => {
    const rows = [
      'ada@example.com;Ada',
      'short@example.com',
      'x@example.com;"quo"ted"',
      'a;b;c',
      'grace@example.com;"Hopper; Grace"',
    ];
    const { lines } = await send(`email;name\n${rows.join('\n')}\n`, 'text/csv');
    expect(lines().map(({ index, id, code }) => [index, id ?? code])).toEqual([
      ...[
        [0, 1],
        [1, 'validation_failed'],
        [2, 'validation_failed'],
        [3, 'validation_failed'],
      ],
      [4, 2],
    ]);
    expect(lines()[1].message).toBe('the line has 1 cells, the first one 2');
    expect(lines()[2].message).toMatch(/^line \d of the file has quotation marks/);
    expect(await member(2)).toMatchObject({ name: 'Hopper; Grace' });
  });

  it('an import creates a thousand members from a CSV with one bad row in the middle', async () => {
    const rows = Array.from({ length: 1000 }, (_, row) =>
      row === 500 ? 'short' : `m${row}@example.com,Member ${row}`,
    );
    const { lines } = await send(`email,name\n${rows.join('\n')}\n`, 'text/csv');
    expect(lines().map(({ index }) => index)).toEqual(rows.map((_, index) => index));
    expect(lines().filter(({ code }) => code)).toEqual([expect.objectContaining({ index: 500 })]);
    expect(lines()[999].id).toBe(999);
  });

  it('an import of a CSV that is not UTF-8 ends with an error line, and the connection stays usable', async () => {
    const body = Buffer.concat([
      Buffer.from('email,name\na@example.com,M\xfcller\n', 'latin1'),
      Buffer.alloc(2 ** 20, 'x\n'),
    ]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, at: string, bytes?: Buffer) =>
      new Promise<string>((resolve, reject) => {
        const headers = { Authorization: `Bearer ${key}`, ...(bytes && { 'Content-Type': 'text/csv' }) };
        const call = httpRequest(new URL(at, service.baseUrl), { method, headers, agent }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => (text += part));
          response.on('end', () => resolve(text));
        });
        call.on('error', reject).end(bytes);
      });
    expect(await ask('POST', path, body)).toMatch(/^{"index":0,.*"code":"validation_failed".*UTF-8.*}\n$/);
    expect(await ask('GET', '/v1/memberships/members')).toMatch(/"data":\[\]/);
    agent.destroy();
  });

  it('an import creates members up to the limit of the account, and reports the limit for the other lines', async () => {
    await service.app
      .get(DataSource)
      .query(
        `INSERT INTO billing (account_id, max_pass_creations, operator_settings, updated_at) VALUES ($1, 7, '{}', now())`,
        [account.id],
      );
    const { lines } = await send(ndjson(...Array.from({ length: 12 }, () => person())));
    expect(lines().map(({ id, code }) => id ?? code)).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7],
      ...Array<string>(5).fill('limit_exceeded'),
    ]);
  });

  it('two simultaneous imports of the same people create each member once, without gaps in the ids', async () => {
    const people = Array.from({ length: 60 }, () => person());
    const reversed = people.toReversed();
    const both = await Promise.all([
      send(ndjson(...people), undefined, '?existing=skip'),
      send(ndjson(...reversed), undefined, '?existing=skip'),
    ]);
    const ids = new Set(both.flatMap(({ lines }) => lines().map(({ id, code }) => id ?? code)));
    expect([...ids].sort((one, next) => one - next)).toEqual(people.map((_, index) => index + 1));
  });

  it('an import responds to each line before the client sends the next one', async () => {
    const url = new URL(path, service.baseUrl);
    const headers = { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${key}` };
    const call = httpRequest(url, { method: 'POST', headers });
    call.on('error', () => undefined);
    call.write(ndjson(person()));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    const { value } = (await createInterface(response)[Symbol.asyncIterator]().next()) as { value: string };
    expect(JSON.parse(value)).toMatchObject({ index: 0, id: 1 });
    call.write('{"email":"half');
    call.destroy();
    expect((await send(ndjson(person()))).lines()).toEqual([expect.objectContaining({ id: 2 })]);
  });

  it.each([
    [
      '403 api_key_required for an admin',
      403,
      'api_key_required',
      () => send(ndjson(person()), undefined, '', account.token),
    ],
    ['415 unsupported_media_type for JSON', 415, 'unsupported_media_type', () => send('{}', 'application/json')],
    [
      '400 validation_failed for an unknown value of the parameter `existing`',
      400,
      'validation_failed',
      () => send('', undefined, '?existing=x'),
    ],
  ])('%s', async (_, status, code, call) => {
    expect(await call()).toMatchObject({ status, body: { code } });
  });

  it('409 invalid_transition for an import into an account without membership settings', async () => {
    const stranger = await service.register();
    const token = await stranger.apiKey('members:write');
    expect(await send(ndjson(person()), undefined, '', token)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
  });
});
