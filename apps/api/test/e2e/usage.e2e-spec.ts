import { UsageService } from '@passwright/billing';
import { Database } from '@passwright/database';
import { repeatWhileBusy } from '@passwright/testing';
import { type Account, type ApiResponse, RunningService, templateBody } from '../support/running-service.js';

/* Two nodes of one installation. */
let nodes: [RunningService, RunningService];
let account: Account;

beforeAll(async () => {
  const first = await RunningService.start();
  nodes = [first, await RunningService.start({}, first)];
});
afterAll(async () => {
  await nodes[1].stop();
  await nodes[0].stop();
});
beforeEach(async () => {
  account = await nodes[0].register();
});

/** Sends requests, alternating between the nodes. */
function send(count: number, path: (n: number) => string, body: object = {}): Promise<ApiResponse[]> {
  const { token } = account;
  const one = (n: number) => (nodes[n % 2] ?? nodes[0]).request('POST', path(n), { token, body });
  return Promise.all(Array.from({ length: count }, (_, n) => repeatWhileBusy(() => one(n))));
}

function counts(responses: ApiResponse[]): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { status, body } of responses) {
    const response = status < 400 ? `${status}` : `${status} ${body.code}`;
    count[response] = (count[response] ?? 0) + 1;
  }
  return count;
}

async function limit(column: 'max_templates' | 'max_pass_creations', most: number): Promise<void> {
  await nodes[0].app.get(Database).transaction((tx) =>
    nodes[0].app.get(UsageService).changeTerms(tx, account.id, async () => {
      await tx.query(
        `INSERT INTO billing (account_id, ${column}, operator_settings, updated_at) VALUES ($1, $2, '{}', now())
         ON CONFLICT (account_id) DO UPDATE SET ${column} = $2`,
        [account.id, most],
      );
    }),
  );
}

describe('maxTemplates', () => {
  it('two nodes admit exactly maxTemplates of 50 templates that are created simultaneously', async () => {
    await limit('max_templates', 7);
    const responses = await send(50, (n) => `/v1/templates/t${n}`, templateBody('offer'));
    expect(counts(responses)).toEqual({ 200: 7, '403 limit_exceeded': 43 });
    expect(responses.find(({ status }) => status === 403)?.body.message).toMatch(
      /maxTemplates of the account is 7.*archive/,
    );
  }, 60_000);

  it('maxTemplates counts only templates that are not archived, and does not prevent changes', async () => {
    await send(6, (n) => `/v1/templates/t${n}`, templateBody('offer'));
    await send(6, (n) => `/v1/templates/t${n}/archive`);
    await account.saveTemplate('offer', 'kept');
    await limit('max_templates', 3);
    const responses = await send(6, (n) => `/v1/templates/t${n}/unarchive`);
    expect(counts(responses)).toEqual({ 200: 2, '403 limit_exceeded': 4 });
    expect(await account.saveTemplate('offer', 'kept', { title: 'Another' })).toMatchObject({ status: 200 });
    await account.delete('/v1/templates/kept');
    expect(await account.saveTemplate('offer', 'next')).toMatchObject({ status: 200 });
  });
});

describe('maxPassCreations', () => {
  it('two nodes admit exactly maxPassCreations of 50 passes that are issued simultaneously', async () => {
    await account.saveTemplate('offer');
    await limit('max_pass_creations', 23);
    expect(counts(await send(50, () => '/v1/pass/offer'))).toEqual({ 201: 23, '403 limit_exceeded': 27 });
    const { body } = await account.get('/v1/account');
    expect(body.usage).toEqual({ passCreations: 23, activePasses: 23 });
    expect(body.storage).toEqual({ imageBytes: expect.any(Number), maxImageBytes: 5 * 2 ** 30 });
    expect(body.storage.imageBytes).toBeGreaterThan(0);
    await limit('max_pass_creations', 25);
    expect(counts(await send(10, (n) => `/v1/pass/offer/p${n}`))).toEqual({ 200: 2, '403 limit_exceeded': 8 });
  });

  it('maxPassCreations counts requests with the same Idempotency-Key once', async () => {
    await account.saveTemplate('offer');
    await limit('max_pass_creations', 1);
    const { token } = account;
    const headers = { 'Idempotency-Key': account.id };
    const issue = (n: number) =>
      (nodes[n % 2] ?? nodes[0]).request('POST', '/v1/pass/offer', { token, headers, body: {} });
    expect(counts(await Promise.all([0, 1, 2, 3].map(issue)))).toEqual({ 201: 4 });
  });
});

it('waiting requests of one account do not occupy all connections, so other accounts are served', async () => {
  const [node] = nodes;
  const stranger = await node.register();
  await account.saveTemplate('offer');
  const { token } = account;
  await node.request('POST', '/v1/pass/offer', { token, body: { id: 'p' } });
  await stranger.saveTemplate('offer');
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let changes: Promise<ApiResponse>[] = [];
  await nodes[1].app.get(Database).transaction(async (tx) => {
    await tx.query('SELECT FROM pass WHERE account_id = $1 FOR UPDATE', [account.id]);
    const change = () => node.request('PATCH', '/v1/pass/offer/p', { token, body: { metadata: {} } });
    changes = Array.from({ length: 30 }, change);
    // Use another connection, because pg_stat_activity does not change within a transaction.
    const { reads } = nodes[1].app.get(Database);
    const count = async () => (await reads.query<{ count: number }[]>(waiting))[0]?.count ?? 0;
    while ((await count()) === 0);
    const response = await node.request('GET', '/v1/templates/offer', { token: stranger.token });
    expect(response.status).toBe(200);
    expect(await count()).toBeLessThanOrEqual(10);
  });
  // A request that waits too long for a free slot gets 503.
  for (const { status } of await Promise.all(changes)) expect([200, 503]).toContain(status);
});
