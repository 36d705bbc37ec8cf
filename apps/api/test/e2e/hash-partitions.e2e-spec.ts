import { randomUUID } from 'node:crypto';
import { CircuitBreaker } from '@passwright/jobs';
import { Database } from '@passwright/database';
import { partitionByAccount, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { AppleWalletWorld, setPoints, showsPoints } from '../support/apple-wallet-world.js';
import type { Account, ApiResponse } from '../support/running-service.js';

/* Every table of accounts may be in hash partitions (docs/scaling.md). The accounts here share a few partitions. */
let world: AppleWalletWorld;
let account: Account;

beforeAll(async () => {
  const { url } = await testDatabase();
  await partitionByAccount(url, 4);
  world = await AppleWalletWorld.start();
  account = await world.newAccount();
});
afterAll(() => world.stop());

const failure = (status: number, code: string) => ({ status, body: expect.objectContaining({ code }) });
const database = () => world.service.app.get(Database);

it('every table whose primary key begins with the account is partitioned, by hash or by time', async () => {
  const rows = await world.service.app.get(DataSource).query<{ name: string; strategy: string | null }[]>(
    `SELECT t.relname AS name, p.partstrat AS strategy
     FROM pg_class t
     JOIN pg_index i ON i.indrelid = t.oid AND i.indisprimary
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
     LEFT JOIN pg_partitioned_table p ON p.partrelid = t.oid
     WHERE t.relnamespace = 'public'::regnamespace AND NOT t.relispartition
       AND (a.attname = 'account_id' OR t.relname = 'account')
     ORDER BY t.relname`,
  );
  expect(rows.length).toBeGreaterThan(30);
  const byTime = ['audit_event', 'webhook_delivery', 'webhook_event'];
  expect(rows.filter(({ strategy }) => strategy !== 'h')).toEqual(byTime.map((name) => ({ name, strategy: 'r' })));
});

it('a phone registers, shows a change after its push, unregisters and registers again', async () => {
  const held = await world.hold(account, 'offer');
  await setPoints(held, '120');
  await showsPoints(held, '120');
  await held.phone.setAutomaticUpdates(held.serial, false);
  await held.phone.setAutomaticUpdates(held.serial, true);
  await setPoints(held, '130');
  await showsPoints(held, '130');
  expect(held.phone.failed).toEqual([]);
});

describe('conflicts', () => {
  const expectConflict = async (code: string, response: Promise<ApiResponse>) =>
    expect(await response).toMatchObject(failure(409, code));

  it('409 pass_exists for a code of another pass', async () => {
    const code = randomUUID();
    await world.issue(account, 'offer', undefined, { code });
    await expectConflict('pass_exists', account.post(`/v1/pass/offer/${randomUUID()}`, { code }));
  });

  it('409 template_in_use when a template with passes is deleted', async () => {
    await world.issue(account, 'offer');
    await expectConflict('template_in_use', account.delete('/v1/templates/offer'));
  });

  it('409 template_in_use when the template of memberships is deleted', async () => {
    await world.saveTemplate(account, 'club', { type: 'membership', primaryLabel: 'Member' });
    const key = await account.apiKey('members:write');
    await world.service.request('PUT', '/v1/memberships/settings', {
      token: key,
      body: { templateId: 'club', reminders: [] },
    });
    await expectConflict('template_in_use', account.delete('/v1/templates/club'));
  });
});

it('a circuit breaker in a hash partition opens only once, and keeps its last reason', async () => {
  const pauses = { firstPauseMs: 1000, longestPauseMs: 5000, trialMs: 1000, forgottenMs: 5000 };
  const breaker = new CircuitBreaker(database(), { receiver: 'apple', ...pauses });
  const key = { accountId: account.id, fingerprint: randomUUID() };
  const now = new Date();
  expect(await breaker.open(key, 'rejected', now)).toBe(true);
  expect(await breaker.open(key, 'rejected again', now)).toBe(false);
  expect(await breaker.find(key.accountId, key.fingerprint)).toMatchObject({ reason: 'rejected again' });
});
