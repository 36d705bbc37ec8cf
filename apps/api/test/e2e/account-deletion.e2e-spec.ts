import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FakeGoogleWallet, testDatabase } from '@passwright/testing';
import { AppleWalletWorld, mustBe, shown, until } from '../support/apple-wallet-world.js';
import { googleEnvironment } from '../support/google-wallet-world.js';
import { Agent } from '../support/mcp-agent.js';
import { operatorRun } from '../support/operator-run.js';
import { templateBody, type Account } from '../support/running-service.js';

/* Accounts with all kinds of data, such as a member's pass on a phone, a pass at Google and a mail. */
let world: AppleWalletWorld;
let google: FakeGoogleWallet;

beforeAll(async () => {
  google = await FakeGoogleWallet.start({ route: () => world.service.baseUrl });
  world = await AppleWalletWorld.start({ ...googleEnvironment(google), WEBHOOK_HOSTS_ALLOWED: '127.0.0.1' });
});
afterAll(async () => {
  await world.stop();
  await google.stop();
});

/** These tables keep rows for 30 days, so that phones and Google learn of the deletion (docs/privacy.md). */
const tablesUntilNotified = [
  ...['account_deletion', 'template', 'deleted_pass', 'apple_certificate', 'google_service_account'],
  ...['apple_device', 'apple_registration', 'apple_push_page', 'circuit_breaker'],
  ...['google_resource', 'google_callback'],
];

async function accountWithEverything() {
  const account = await world.newAccount();
  const sample = (name: string) => `https://passes.example.com/images/samples/${name}.png`;
  const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
  mustBe(200, await account.saveTemplate('membership', 'membership', { ...images, title: 'Secret club' }));
  mustBe(201, await account.post('/v1/webhooks', { name: 'Pull' }));
  const key = await account.apiKey('members:read', 'members:write', 'passes:read');
  const member = (method: string, path: string, body: object) =>
    world.service.request(method, path, { token: key, body, headers: { 'Idempotency-Key': randomUUID() } });
  mustBe(200, await member('PUT', '/v1/memberships/settings', { templateId: 'membership', reminders: [] }));
  const ada = { email: `${randomUUID()}@example.com`, name: 'Ada Byron', status: 'active' };
  const { body: created } = mustBe(201, await member('POST', '/v1/memberships/members', ada));
  const held = await world.put(account, mustBe(200, await account.get(`/v1/pass/membership/${created.passId}`)).body);
  const offer = mustBe(201, await account.post('/v1/pass/offer', { metadata: { note: 'private' } }));
  const path = `/v1/pass/offer/${offer.body.pass.id}`;
  mustBe(202, await account.post(`${path}/send`, { to: ada.email, message: 'Here it is' }));
  const link = await world.service.request('GET', `/v1/pass/${account.id}/offer/${offer.body.pass.id}/walletB`);
  expect((await google.save(mustBe(200, link).body.url)).status).toBe(200);
  mustBe(201, await account.post('/v1/account/invite', { email: `${randomUUID()}@example.com` }));
  const { body: supervised } = await account.post('/v1/auth/keys', { name: 'Agent', supervised: true });
  const agent = await Agent.connect(world.service, supervised.key);
  await agent.result('updatePass', { templateId: 'offer', passId: offer.body.pass.id, body: { code: 'PLANNED' } });
  await account.patch('/v1/account', { name: 'Secret Engines' });
  await world.jobsIdle();
  return { account, key, held, ada };
}

async function operator(...words: string[]) {
  return operatorRun(words, { DATABASE_URL: (await testDatabase()).url, DATA_DIR: world.service.dataDir });
}

/** Lists the tables that have rows of an account. */
async function tablesWith(accountId: string): Promise<string[]> {
  const tables = await world.sql<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'account_id' AND t.table_type = 'BASE TABLE'
       AND NOT (SELECT relispartition FROM pg_class WHERE oid = c.table_name::regclass)
     ORDER BY c.table_name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await world.sql<unknown>(`SELECT FROM ${name} WHERE account_id = $1 LIMIT 1`, [accountId]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const remove = (account: Account, body: object = { password: account.password }) =>
  world.service.request('DELETE', '/v1/account', { token: account.token, body });
const later = (accountId: string, column: string, days: number) =>
  world.sql(`UPDATE account_deletion SET ${column} = ${column} - interval '${days} days' WHERE account_id = $1`, [
    accountId,
  ]);
const lookForDue = async () => {
  await world.sql(`SELECT graphile_worker.add_job('accounts.delete-due', '{}')`);
  await world.jobsIdle();
};

describe('the deletion of an account', () => {
  it('the deletion of an account keeps only data for notifying phones and Google, for 30 days', async () => {
    const { account, held, ada } = await accountWithEverything();
    expect((await tablesWith(account.id)).length).toBeGreaterThan(20);
    const images = join(world.service.dataDir, 'storage/images', account.id);
    expect(existsSync(images)).toBe(true);

    mustBe(202, await remove(account));
    await later(account.id, 'deletes_at', 8);
    await lookForDue();

    await until(
      () => shown(held),
      ({ voided }) => voided === true,
    );
    expect(JSON.stringify(shown(held))).not.toMatch(/\bAda\b|Byron|Secret/);
    await until(
      () => JSON.stringify([...google.objects.values(), ...google.classes.values()]),
      (text) => !text.includes('Secret club') && text.includes('INACTIVE'),
    );
    await world.jobsIdle();
    expect((await tablesWith(account.id)).filter((table) => !tablesUntilNotified.includes(table))).toEqual([]);
    expect(await tablesWith(account.id)).toEqual(expect.arrayContaining(['deleted_pass', 'google_resource']));
    expect(existsSync(images)).toBe(false);
    const email = await world.service.storedEmail(account.email);
    expect(await world.sql('SELECT FROM app_user WHERE email = $1', [email])).toEqual([]);
    expect(await world.sql('SELECT name FROM account WHERE id = $1', [account.id])).toEqual([{ name: '' }]);
    const templates = await world.sql<object>('SELECT * FROM template WHERE account_id = $1', [account.id]);
    expect(JSON.stringify(templates)).not.toMatch(/Secret|Summer/);
    expect(await world.service.request('GET', '/v1/account', { token: account.token })).toMatchObject({ status: 401 });
    expect(ada.email).toContain('@');

    await later(account.id, 'emptied_at', 31);
    await lookForDue();
    expect(await tablesWith(account.id)).toEqual([]);
    expect(await world.sql('SELECT FROM account WHERE id = $1', [account.id])).toEqual([]);
  });

  it('the export of an account before its deletion contains no secrets', async () => {
    const { account, held, ada } = await accountWithEverything();
    const device = held.phone.deviceLibraryIdentifier(held.serial) ?? '';
    const logs = [`Register task (for device ${device}, pass type p, serial number ${held.serial}) failed`];
    mustBe(200, await world.service.request('POST', '/v1/log', { body: { logs } }));
    const { body, bytes } = mustBe(200, await account.get('/v1/account/export'));
    expect(body).toMatchObject({
      account: { id: account.id, name: 'Secret Engines', members: [{ user: { email: account.email } }] },
      tables: {
        member: [{ email: ada.email, name: 'Ada Byron' }],
        pass: expect.arrayContaining([expect.objectContaining({ metadata: { note: 'private' } })]),
        pass_mail: [{ recipient: ada.email }],
        agent_plan: [{ tool: 'updatePass', changes: { code: { to: 'PLANNED' } } }],
        webhook: [{ name: 'Pull' }],
        apple_log_line: [{ line: logs[0]?.replace(device, '…') }],
        audit_event: expect.arrayContaining([expect.objectContaining({ action: 'account.exported' })]),
      },
    });
    const text = bytes.toString();
    for (const token of held.phone.tokens.values()) expect(text).not.toContain(token);
    expect(text).not.toContain(device);
    // A failed comparison of the text would print the whole export.
    expect(/"(secret|previous_secret|\w*_hash|private_key|push_token)":/.test(text)).toBe(false);
  });

  it('an account that is being deleted can be read, but rejects API keys and changes', async () => {
    const { account, key } = await accountWithEverything();
    const asked = mustBe(202, await remove(account)).body;
    expect(Date.parse(asked.deletesAt) - Date.parse(asked.requestedAt)).toBe(7 * 24 * 60 * 60_000);
    expect(mustBe(202, await remove(account)).body).toEqual(asked);
    await world.jobsIdle();

    const rejected = { status: 403, body: { code: 'forbidden', message: expect.stringContaining(asked.deletesAt) } };
    expect(await world.service.request('GET', '/v1/pass/offer', { token: key })).toMatchObject(rejected);
    expect(await account.post('/v1/pass/offer', {})).toMatchObject(rejected);
    const { body: other } = mustBe(201, await account.post('/v1/auth/accounts', { name: 'Other' }));
    expect(mustBe(200, await account.get('/v1/account')).body.deletion).toEqual(asked);
    mustBe(200, await account.get('/v1/account/export'));
    const path = `/v1/templates/other?accountId=${account.id}`;
    const written = world.service.request('POST', path, { token: other.accessToken, body: templateBody('offer') });
    expect(await written).toMatchObject(rejected);

    mustBe(204, await account.delete('/v1/account/deletion'));
    mustBe(201, await account.post('/v1/pass/offer', {}));
    mustBe(200, await world.service.request('GET', '/v1/pass/offer', { token: key }));
    await lookForDue();
    const { body: events } = await account.get('/v1/account/events?target=account');
    expect(events.data.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['account.deletion_withdrawn', 'account.exported', 'account.deletion_requested']),
    );
  });

  it('403 forbidden for a deletion with a wrong password, by a member who is not an admin, or by an API key', async () => {
    const account = await world.service.register();
    const key = await account.apiKey('account:write');
    const [wrong, byKey] = await Promise.all([
      remove(account, { password: 'not it' }),
      world.service.request('DELETE', '/v1/account', { token: key, body: { password: account.password } }),
    ]);
    expect([wrong.status, wrong.body.code, byKey.status]).toEqual([403, 'forbidden', 403]);
    expect(mustBe(200, await account.get('/v1/account')).body.deletion).toBeUndefined();
  });
});

describe('the operator', () => {
  it('the operator deletes an account immediately; its user keeps access to another account', async () => {
    const { account } = await accountWithEverything();
    const other = mustBe(201, await account.post('/v1/auth/accounts', { name: 'Other' })).body;
    expect(await operator('accounts', 'delete', account.id, '--at-once')).toMatchObject({ code: 0, err: '' });
    await world.jobsIdle();
    expect((await tablesWith(account.id)).filter((table) => !tablesUntilNotified.includes(table))).toEqual([]);
    expect(await tablesWith(account.id)).toEqual(expect.arrayContaining(['deleted_pass', 'google_resource']));
    const login = await world.service.request('POST', '/v1/auth/login', {
      body: { email: account.email, password: account.password },
    });
    expect(mustBe(200, login).body.accountId).toBe(other.accountId);
  });

  it('the operator cancels a deletion before it begins', async () => {
    const account = await world.service.register();
    expect((await operator('accounts', 'delete', account.id)).out).toContain(`accounts keep ${account.id}`);
    mustBe(200, await account.get('/v1/account'));
    expect(await operator('accounts', 'keep', account.id)).toMatchObject({ code: 0 });
    mustBe(200, await account.patch('/v1/account', { name: 'Kept' }));
  });

  it("the operator's command exits with 1 for an account that is not being deleted", async () => {
    const account = await world.service.register();
    const { code, err } = await operator('accounts', 'keep', account.id);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('not being deleted') });
  });
});
