import { randomUUID } from 'node:crypto';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

let service: RunningService;
let account: Account;
let key: string;

beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
  key = await account.apiKey('members:read', 'members:write');
  await account.saveTemplate('membership', 'club');
  await send('PUT', '/v1/memberships/settings', { templateId: 'club', reminders: [] });
});
afterAll(() => service.stop());

const members = '/v1/memberships/members';
const send = (method: string, path: string, body?: unknown) => service.request(method, path, { token: key, body });
const make = (member: object) => send('POST', members, { email: `${randomUUID()}@example.com`, ...member });
const failure = (status: number, code: string) => ({ status, body: expect.objectContaining({ code }) });

const ids = (response: ApiResponse) => (response.body.data as { id: number }[]).map(({ id }) => id);
const list = (query: string) => send('GET', `${members}?${query}`);

it('the list of members shows the newest first, page by page, and applies filters', async () => {
  const expiry = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  await make({ name: 'Ada Lovelace', email: 'ada@example.com', expiry: expiry(30), status: 'active' });
  await make({ name: 'Zoë Ōta', email: 'z.ota@club.example.org', expiry: expiry(10) });
  await make({ name: 'Adam Smith', email: 'smith@example.com', expiry: expiry(20) });
  await make({ name: 'Bob', email: 'bob@example.com' });
  const strangersKey = await (await service.register()).apiKey();
  const first = await list('limit=3');
  expect([ids(first), first.body.nextCursor]).toEqual([[4, 3, 2], expect.any(String)]);
  const second = await list(`limit=3&cursor=${first.body.nextCursor}`);
  expect([ids(second), second.body.nextCursor]).toEqual([[1], null]);
  for (const [query, expected] of [
    ['status=active', [1]],
    ['status=pending', [4, 3, 2]],
    ['status=cancelled', []],
    ['status=expired', []],
    ['email=ADA@example.com', [1]],
    ['email=ada', []],
    ['q=ada', [3, 1]],
    ['q=LOVE%20ad', [1]],
    ['q=ota', [2]],
    ['q=z.ota@club', [2]],
    ['q=ada&status=pending', [3]],
    [`expiresBefore=${expiry(25)}`, [2, 3]],
    [`expiresAfter=${expiry(15)}`, [3, 1]],
    [`expiresAfter=${expiry(15)}&expiresBefore=${expiry(25)}&status=pending`, [3]],
  ] as const) {
    expect([query, ids(await list(query))]).toEqual([query, expected]);
  }
  const earliest = await list(`expiresAfter=${expiry(1)}&limit=2`);
  expect(ids(earliest)).toEqual([2, 3]);
  expect(ids(await list(`expiresAfter=${expiry(1)}&limit=2&cursor=${earliest.body.nextCursor}`))).toEqual([1]);
  expect(ids(await service.request('GET', `${members}?q=ada`, { token: strangersKey }))).toEqual([]);
});

const forged = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
const wrongQueries = [
  'status=gone',
  'email=',
  'q=!!',
  'q=',
  'expiresBefore=never',
  'limit=0',
  'unknown=1',
  `cursor=${forged('id', '0')}`,
  `cursor=${forged('id', '99999999999')}`,
  `cursor=${forged('id', 1)}`,
  `cursor=${forged('expires', '2026-11-20T10:00:00.000Z', '1')}`,
  `expiresBefore=2026-11-20T10:00:00Z&cursor=${forged('id', '1')}`,
];
it('400 validation_failed for invalid filters and cursors', async () => {
  for (const query of wrongQueries) {
    expect([query, await list(query)]).toMatchObject([query, failure(400, 'validation_failed')]);
  }
});
