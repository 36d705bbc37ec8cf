import { randomUUID } from 'node:crypto';
import { randomId, type Principal, type Scope } from '@passwright/core';
import { lockWaitsSql } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { AccountsNode, masterKeys, type Registered } from '../accounts.fixtures.js';
import type { AgentPlanResponse } from './agent-plan.dto.js';
import { AgentPlansCron } from './agent-plans.cron.js';
import type { PlannedCall, ShownPlan } from './agent-plans.repository.js';
import { AgentPlansService } from './agent-plans.service.js';

const HOUR = 3_600_000;

let node: AccountsNode;
let plans: AgentPlansService;
let user: Registered;
let keyId: string;
beforeAll(async () => {
  node = await AccountsNode.start({ personalData: { masterKeys, encrypts: true } });
  plans = node.app.get(AgentPlansService);
});
beforeEach(async () => {
  user = await node.register();
  keyId = (await node.createKey(user, { supervised: true })).id;
});
afterAll(() => node.stop());

const call = (hash: string): PlannedCall => ({
  accountId: user.accountId,
  keyId,
  tool: 'upsertTemplate',
  callHash: Buffer.from(hash),
});
const plan = (changes: Partial<ShownPlan> = {}): ShownPlan => ({
  does: 'Replace a template.',
  templateId: 'offer',
  reaches: { passes: 3 },
  changed: ['title'],
  changes: { title: { from: 'Gold', to: 'Silver' } },
  state: '"1"',
  ...changes,
});
const dayFromNow = () => new Date(node.clock.now().getTime() + 24 * HOUR);
const present = () => Promise.resolve(true);
const store = (hash: string, changes?: Partial<ShownPlan>) =>
  plans.store(call(hash), plan(changes), dayFromNow(), present);
const list = (limit = 100, cursor?: string) => plans.list(user.accountId, { limit, cursor });
const listed = async () => (await list()).data;
const reader = (...scopes: Scope[]): Principal => ({ kind: 'user', id: 'ada', accountId: user.accountId, scopes });
const confirm = ({ id }: Pick<AgentPlanResponse, 'id'>) => plans.confirm(reader('templates:read'), id);
const only = async () => (await listed())[0] ?? { id: '' };
const sql = <Row extends object>(text: string, values: unknown[] = [user.accountId]) =>
  node.app.get(DataSource).query<Row[]>(text, values);
const confirmOnly = async () => confirm(await only());
const later = (hours: number) => node.clock.set(new Date(node.clock.now().getTime() + hours * HOUR));

it('a plan needs another confirmation if it now reaches more passes than at its confirmation', async () => {
  await store('call');
  expect(await plans.confirmationOf(call('call'), plan())).toBe('missing');
  await confirmOnly();
  expect(await plans.confirmationOf(call('call'), plan())).toBe('confirmed');
  expect(await plans.confirmationOf(call('call'), plan({ reaches: { passes: 4 } }))).toBe('changed');
  expect(await plans.confirmationOf(call('other'), plan())).toBe('missing');
});

it('a confirmed plan stays confirmed, with the same expiry, if the agent plans the same call again', async () => {
  const end = await store('call');
  await confirmOnly();
  later(20);
  expect(await store('call')).toEqual(end);
  expect(await plans.confirmationOf(call('call'), plan())).toBe('confirmed');
  later(4);
  expect(await plans.confirmationOf(call('call'), plan())).toBe('missing');
  expect(await store('call')).toEqual(dayFromNow());
  expect(await listed()).toMatchObject([{ confirmedAt: null }]);
});

it('the expiry of an unconfirmed plan is extended if the agent plans the same call again', async () => {
  await store('call');
  later(20);
  expect(await store('call')).toEqual(dayFromNow());
});

it('404 not_found for confirming a plan that now reaches more passes than the user has read', async () => {
  await store('call');
  const [seen] = await listed();
  await store('call', { reaches: { passes: 1204 } });
  await expect(confirm(seen ?? { id: '' })).rejects.toMatchObject({ code: 'not_found' });
  expect(await listed()).toMatchObject([{ reaches: { passes: 1204 }, confirmedAt: null }]);
});

it('a plan for a new state of its target replaces only the key’s earlier plans for that target', async () => {
  await store('old');
  await store('old too', { does: 'Something else.' });
  await store('other', { templateId: 'other' });
  const own = keyId;
  keyId = (await node.createKey(user, { supervised: true })).id;
  await store('theirs');
  keyId = own;
  later(1);
  await store('new', { state: '"2"' });
  const targets = (await listed()).map(({ keyId: key, templateId }) => [key === own, templateId]);
  expect(targets[0]).toEqual([true, 'offer']);
  expect(targets.slice(1).sort()).toEqual([
    [false, 'offer'],
    [true, 'other'],
  ]);
});

it('403 limit_exceeded for the 101st plan of a key, unless it replaces another plan', async () => {
  for (let at = 0; at < 98; at++) await store(`call ${at}`);
  const stored = await Promise.allSettled(Array.from({ length: 6 }, (_, at) => store(`more ${at}`)));
  const reasons = stored.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(reasons).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ code: 'limit_exceeded' })));
  expect(await listed()).toHaveLength(100);
  await expect(store('call 7', { reaches: { passes: 4 } })).resolves.toEqual(dayFromNow());
});

it('a user can reject a confirmed plan, and the audit trail records the rejection', async () => {
  await store('call');
  await confirmOnly();
  const [{ id } = { id: '' }] = await listed();
  const reject = (by: Registered) => node.call('delete', `/v1/account/plans/${id}`, { token: by.accessToken });
  expect((await reject(await node.register())).body).toMatchObject({ code: 'not_found' });
  expect(await plans.confirmationOf(call('call'), plan())).toBe('confirmed');
  expect((await reject(user)).status).toBe(204);
  expect((await reject(user)).body).toMatchObject({ code: 'not_found' });
  expect(await plans.confirmationOf(call('call'), plan())).toBe('missing');
  expect(await listed()).toEqual([]);
  const events = await node.app
    .get(DataSource)
    .query<object[]>(`SELECT before FROM audit_event WHERE account_id = $1 AND action = 'plan.rejected'`, [
      user.accountId,
    ]);
  expect(events).toEqual([{ before: { tool: 'upsertTemplate', keyId, templateId: 'offer', reaches: { passes: 3 } } }]);
});

/** Invites a user to the account. Returns the user's id and access token. */
async function colleague(): Promise<{ uid: string; token: string }> {
  const inviting = { token: user.accessToken, body: { email: `${randomUUID()}@example.com` } };
  const { body: invite } = await node.call('post', '/v1/account/invite', inviting);
  const joining = { body: { name: 'Grace', password: 'a long enough password' } };
  const { body: joined } = await node.call('post', `/v1/account/invites/${invite.code}/accept`, joining);
  const token = joined.accessToken as string;
  const { body: me } = await node.call('get', '/v1/auth/me', { token });
  return { uid: me.uid as string, token };
}
const confirmAs = (token: string, id = '') => node.call('post', `/v1/account/plans/${id}/confirm`, { token });
const remove = (uid: string) => node.call('delete', `/v1/account/members/${uid}`, { token: user.accessToken });
const rejectedPlans = () =>
  sql(`SELECT target_id AS id FROM audit_event WHERE account_id = $1 AND action = 'plan.rejected'`);

it('a plan needs another confirmation if the user who has confirmed it leaves the account', async () => {
  const { uid, token } = await colleague();
  await store('theirs');
  const { id } = await only();
  await store('own', { templateId: 'other' });
  const [own] = (await listed()).filter((one) => one.id !== id);
  expect((await confirmAs(token, id)).status).toBe(200);
  expect((await confirmAs(user.accessToken, own?.id)).status).toBe(200);

  expect((await remove(uid)).status).toBe(204);
  expect(await plans.confirmationOf(call('theirs'), plan())).toBe('missing');
  expect(await plans.confirmationOf(call('own'), plan({ templateId: 'other' }))).toBe('confirmed');
  expect(await rejectedPlans()).toEqual([{ id }]);
});

it('a plan needs another confirmation if the user leaves the account while the service confirms it', async () => {
  const { uid, token } = await colleague();
  await store('theirs');
  const { id } = await only();
  let removal: Promise<{ status: number }> = Promise.resolve({ status: 0 });
  const confirmed = await node.during(
    (tx) => tx.query('SELECT FROM agent_plan WHERE account_id = $1 AND id = $2 FOR UPDATE', [user.accountId, id]),
    () => confirmAs(token, id),
    async () => {
      let isOver = false;
      removal = Promise.resolve(remove(uid)).finally(() => (isOver = true));
      while (!isOver && (await sql(lockWaitsSql, [])).length < 2);
    },
  );
  expect([confirmed.status, (await removal).status]).toEqual([200, 204]);
  expect(await plans.confirmationOf(call('theirs'), plan())).toBe('missing');
  expect(await rejectedPlans()).toEqual([{ id }]);
});

it('storing a plan locks outdated plans in the order of their ids, like the removal of the user who confirmed them', async () => {
  await store('z');
  await store('a', { does: 'Something else.' });
  const renamed = 'UPDATE agent_plan SET id = $2 WHERE account_id = $1 AND call_hash = $3';
  const [first, last] = [`A${randomId()}`, `Z${randomId()}`];
  await sql(renamed, [user.accountId, last, Buffer.from('z')]);
  await sql(renamed, [user.accountId, first, Buffer.from('a')]);
  const locked = 'SELECT FROM agent_plan WHERE account_id = $1 AND id = $2 FOR UPDATE';
  const stored = await node.during(
    (tx) => tx.query(locked, [user.accountId, first]),
    () => store('new', { state: '"2"' }),
    (tx) => tx.query(`${locked} NOWAIT`, [user.accountId, last]),
  );
  expect(stored).toEqual(dayFromNow());
  expect(await listed()).toHaveLength(1);
});

it('401 unauthorized for confirming a plan if the user leaves the account during the request', async () => {
  const { uid, token } = await colleague();
  await store('theirs');
  const { id } = await only();
  const { body } = await node.during(
    (tx) => tx.query('DELETE FROM account_member WHERE account_id = $1 AND uid = $2', [user.accountId, uid]),
    () => confirmAs(token, id),
  );
  expect(body).toMatchObject({ code: 'unauthorized' });
  expect(await plans.confirmationOf(call('theirs'), plan())).toBe('missing');
});

it('403 forbidden for confirming or rejecting a plan of an account that is being deleted', async () => {
  await store('call');
  const { id } = await only();
  const { accessToken: token, password } = user;
  expect((await node.call('delete', '/v1/account', { token, body: { password } })).status).toBe(202);
  const responses = [
    await node.call('post', `/v1/account/plans/${id}/confirm`, { token }),
    await node.call('delete', `/v1/account/plans/${id}`, { token }),
  ];
  for (const { body } of responses) {
    expect(body).toMatchObject({ code: 'forbidden', message: expect.stringContaining('is being deleted') });
  }
  expect(await listed()).toMatchObject([{ id, confirmedAt: null }]);
});

it('401 unauthorized for a new plan of a revoked key', async () => {
  await node.call('delete', `/v1/auth/keys/${keyId}`, { token: user.accessToken });
  await expect(store('call')).rejects.toMatchObject({ code: 'unauthorized' });
});

it('404 not_found for a new plan for a deleted pass', async () => {
  const deleted = () => Promise.resolve(false);
  const change = plan({ passId: 'ada' });
  await expect(plans.store(call('call'), change, dayFromNow(), deleted)).rejects.toMatchObject({ code: 'not_found' });
});

it('403 limit_exceeded for another plan if the values of the key’s plans already take 10 MB', async () => {
  const long = { changes: { title: { to: '€'.repeat(1_000_000) } } };
  for (let at = 0; at < 4; at++) await store(`call ${at}`, long);
  await expect(store('more')).rejects.toMatchObject({
    code: 'limit_exceeded',
    message: expect.stringContaining('10 MB'),
  });
  await expect(store('call 3', long)).resolves.toEqual(dayFromNow());
});

describe('the values of a plan', () => {
  const get = async (...scopes: Scope[]) => plans.get(reader(...scopes), (await only()).id);
  const keys = () => sql(`SELECT FROM encryption_key WHERE account_id = $1 AND id LIKE 'plan:%'`);
  const row = async () => JSON.stringify(await sql('SELECT agent_plan::text FROM agent_plan WHERE account_id = $1'));

  it('a user reads all values of a plan, although the database stores them encrypted', async () => {
    const backFields = { from: [{ key: 'terms', value: 'Once' }], to: Array(50).fill({ value: 'Äpfel' }) };
    await store('call', { changed: ['title', 'backFields'], changes: { ...plan().changes, backFields } });
    expect(await get('templates:read')).toMatchObject({
      changed: ['title', 'backFields'],
      changes: { title: { from: 'Gold', to: 'Silver' }, backFields },
    });
    expect(await row()).toContain('title');
    expect(await row()).not.toMatch(/Gold|Silver|Äpfel|Once/);
  });

  it('the list and the confirmation of a plan name the changed properties, but do not contain their values', async () => {
    await store('call');
    expect(await only()).toMatchObject({ changed: ['title'] });
    expect(JSON.stringify([await listed(), await confirm(await only())])).not.toMatch(/Gold|Silver|changes/);
  });

  it('403 forbidden for reading or confirming a plan for a template without the scope templates:read', async () => {
    await store('call');
    const { id } = await only();
    const refusal = { code: 'forbidden', message: expect.stringContaining('templates:read') };
    await expect(get('passes:read')).rejects.toMatchObject(refusal);
    await expect(plans.confirm(reader('passes:read'), id)).rejects.toMatchObject(refusal);
    expect(await plans.confirmationOf(call('call'), plan())).toBe('missing');
  });

  it('404 not_found for the values of a plan that belongs to another account or has expired', async () => {
    await store('call');
    const { id } = await only();
    const stranger = await node.register();
    const read = (token: string) => node.call('get', `/v1/account/plans/${id}`, { token });
    expect((await read(stranger.accessToken)).body).toMatchObject({ code: 'not_found' });
    expect((await read(user.accessToken)).body).toMatchObject({ id, changes: plan().changes });
    later(24);
    await expect(get('templates:read')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a plan needs another confirmation if its values have changed since the last confirmation', async () => {
    await store('call');
    await confirmOnly();
    const other = plan({ changes: { title: { from: 'Gold', to: 'Bronze' } } });
    expect(await plans.confirmationOf(call('call'), other)).toBe('changed');
    await plans.store(call('call'), other, dayFromNow(), present);
    expect(await only()).toMatchObject({ confirmedAt: null });
    expect(await keys()).toHaveLength(1);
  });

  it('the encryption key of a plan is deleted together with the plan or with the API key', async () => {
    await store('call');
    await store('other', { templateId: 'other' });
    expect(await keys()).toHaveLength(2);
    await plans.finish(call('call'));
    expect(await keys()).toHaveLength(1);
    await node.call('delete', `/v1/auth/keys/${keyId}`, { token: user.accessToken });
    expect(await keys()).toHaveLength(0);
  });

  it('the hourly clean-up deletes encryption keys of plan ids that a node of an earlier version has replaced', async () => {
    await store('call');
    await store('other', { templateId: 'other' });
    await sql(`UPDATE agent_plan SET id = 'renewed' WHERE account_id = $1 AND template_id = 'offer'`);
    await node.app.get(AgentPlansCron).deleteExpired();
    const ofPlans = `SELECT p.template_id FROM agent_plan p
      JOIN encryption_key k ON k.account_id = p.account_id AND k.id = 'plan:' || p.id WHERE p.account_id = $1`;
    expect(await sql(ofPlans)).toEqual([{ template_id: 'other' }]);
    expect(await keys()).toHaveLength(1);
  });

  it('503 not_ready for reading or confirming a plan whose encryption key is lost, until the agent plans the call again', async () => {
    await store('call');
    await sql(`DELETE FROM encryption_key WHERE account_id = $1 AND id LIKE 'plan:%'`);
    await expect(get('templates:read')).rejects.toMatchObject({ code: 'not_ready' });
    await expect(confirmOnly()).rejects.toMatchObject({ code: 'not_ready' });
    await store('call');
    expect(await get('templates:read')).toMatchObject({ changes: plan().changes });
  });

  it('the service stores the values of plans unencrypted in an unencrypted account', async () => {
    await sql('DELETE FROM encryption_key WHERE account_id = $1');
    const clear = await AccountsNode.start({ personalData: { masterKeys, encrypts: false } });
    try {
      await clear.app.get(AgentPlansService).store(call('call'), plan(), dayFromNow(), present);
      expect(await row()).toContain('Silver');
      const { id } = await only();
      expect(await clear.app.get(AgentPlansService).get(reader('templates:read'), id)).toMatchObject({
        changes: plan().changes,
      });
      expect(await clear.app.get(AgentPlansService).confirmationOf(call('call'), plan())).toBe('missing');
    } finally {
      await clear.stop();
    }
  });
});

it('the list of plans does not contain the entity tag of a plan’s target', async () => {
  await store('call');
  expect(JSON.stringify(await listed())).not.toContain('state');
});
