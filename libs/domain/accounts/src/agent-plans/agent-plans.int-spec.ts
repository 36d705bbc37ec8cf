import { DataSource } from 'typeorm';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import type { AgentPlanResponse } from './agent-plan.dto.js';
import type { ShownPlan } from './agent-plan.entity.js';
import type { PlannedCall } from './agent-plans.repository.js';
import { AgentPlansService } from './agent-plans.service.js';

const HOUR = 3_600_000;

let node: AccountsNode;
let plans: AgentPlansService;
let user: Registered;
let keyId: string;
beforeAll(async () => {
  node = await AccountsNode.start();
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
  state: '"1"',
  ...changes,
});
const dayFromNow = () => new Date(node.clock.now().getTime() + 24 * HOUR);
const store = (hash: string, changes?: Partial<ShownPlan>) => plans.store(call(hash), plan(changes), dayFromNow());
const list = (limit = 100, cursor?: string) => plans.list(user.accountId, { limit, cursor });
const listed = async () => (await list()).data;
const confirm = ({ id }: Pick<AgentPlanResponse, 'id'>) =>
  plans.confirm({ kind: 'user', id: 'ada', accountId: user.accountId, scopes: [] }, id);
const confirmOnly = async () => {
  const [only] = await listed();
  await confirm(only ?? { id: '' });
};
const later = (hours: number) => node.clock.set(new Date(node.clock.now().getTime() + hours * HOUR));

it('a confirmation of a plan is for what the plan said: another reach needs another confirmation', async () => {
  await store('call');
  expect(await plans.confirmationOf(call('call'), plan())).toBe('missing');
  await confirmOnly();
  expect(await plans.confirmationOf(call('call'), plan())).toBe('confirmed');
  expect(await plans.confirmationOf(call('call'), plan({ reaches: { passes: 4 } }))).toBe('changed');
  expect(await plans.confirmationOf(call('other'), plan())).toBe('missing');
});

it('planning the same call again keeps its confirmation, but never prolongs it', async () => {
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

it('planning a call again prolongs a plan that nobody has confirmed', async () => {
  await store('call');
  later(20);
  expect(await store('call')).toEqual(dayFromNow());
});

it('404 not_found for a user who confirms a plan that has grown since they looked at it', async () => {
  await store('call');
  const [seen] = await listed();
  await store('call', { reaches: { passes: 1204 } });
  await expect(confirm(seen ?? { id: '' })).rejects.toMatchObject({ code: 'not_found' });
  expect(await listed()).toMatchObject([{ reaches: { passes: 1204 }, confirmedAt: null }]);
});

it('a plan for a later state deletes the plans of its target, but none of other targets or keys', async () => {
  await store('old');
  await store('old too', { does: 'Something else.' });
  await store('other', { templateId: 'other' });
  await store('pass', { passId: 'p' });
  const own = keyId;
  keyId = (await node.createKey(user, { supervised: true })).id;
  await store('theirs');
  keyId = own;
  later(1);
  await store('new', { state: '"2"' });
  const targets = (await listed()).map(({ keyId: key, templateId, passId }) => [key === own, templateId, passId]);
  expect(targets[0]).toEqual([true, 'offer', null]);
  expect(targets.slice(1).sort()).toEqual(
    [
      [true, 'other', null],
      [true, 'offer', 'p'],
      [false, 'offer', null],
    ].sort(),
  );
});

it('403 limit_exceeded for the 101st plan of a key, also when requests are simultaneous, but not for a known one', async () => {
  for (let at = 0; at < 98; at++) await store(`call ${at}`);
  const stored = await Promise.allSettled(Array.from({ length: 6 }, (_, at) => store(`more ${at}`)));
  const reasons = stored.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(reasons).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ code: 'limit_exceeded' })));
  expect(await listed()).toHaveLength(100);
  await expect(store('call 7', { reaches: { passes: 4 } })).resolves.toEqual(dayFromNow());
});

it('a user rejects a plan, also after its confirmation; nothing is left of it but the audit trail', async () => {
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

it('401 unauthorized for a plan of a key that was revoked meanwhile', async () => {
  await node.call('delete', `/v1/auth/keys/${keyId}`, { token: user.accessToken });
  await expect(store('call')).rejects.toMatchObject({ code: 'unauthorized' });
});

it('a page of the list of plans has at most 250 KB', async () => {
  for (let at = 0; at < 8; at++) await store(`call ${at}`, { changes: { title: { to: '€'.repeat(20_000) } } });
  const { data, nextCursor } = await list();
  expect(data).toHaveLength(4);
  const rest = await list(100, nextCursor ?? undefined);
  expect([rest.data.length, rest.nextCursor]).toEqual([4, null]);
  expect(new Set([...data, ...rest.data].map(({ id }) => id)).size).toBe(8);
});

it('a response does not name the state that a plan starts from', async () => {
  await store('call');
  expect(JSON.stringify(await listed())).not.toContain('state');
});
