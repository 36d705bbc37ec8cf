import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Logger } from '@nestjs/common';
import { AgentPlansService } from '@passwright/accounts';
import { Clock, RequestSlot } from '@passwright/core';
import { Database } from '@passwright/database';
import { IssuedPassesService } from '@passwright/passes';
import { DataSource } from 'typeorm';
import { PlanReachService } from '../../src/mcp/plan-reach.service.js';
import { Agent, post, request } from '../support/mcp-agent.js';
import { openApi, operationsOf } from '../support/operations.js';
import { RunningService, templateBody, type Account } from '../support/running-service.js';

let service: RunningService;
let otherNode: RunningService;
let account: Account;
let apiKey: string;
let agent: Agent;
let values: { templateId: string; passId: string };

beforeAll(async () => {
  service = await RunningService.start();
  otherNode = await RunningService.start({}, service);
  account = await service.register();
  const { status, body } = await account.post('/v1/auth/keys', { name: 'Agent', supervised: true });
  expect([status, body.supervised]).toEqual([201, true]);
  apiKey = body.key as string;
  agent = await Agent.connect(service, apiKey);
});
afterAll(async () => {
  await otherNode.stop();
  await service.stop();
});
beforeEach(async () => {
  await account.saveTemplate('offer');
  const { body } = await account.post('/v1/pass/offer', {});
  values = { templateId: 'offer', passId: body.pass.id as string };
});
afterEach(() => jest.restoreAllMocks());

const passOf = async () => (await account.get(`/v1/pass/offer/${values.passId}`)).body.pass;
const plans = async () => (await account.get('/v1/account/plans')).body.data as Record<string, unknown>[];
const planOf = async (tool: string) => (await plans()).find((plan) => plan.tool === tool && !plan.confirmedAt);
const detailsOf = async (tool: string) =>
  (await account.get(`/v1/account/plans/${String((await planOf(tool))?.id)}`)).body;
const unconfirmed = {
  statusCode: 403,
  code: 'forbidden',
  message: expect.stringContaining('/workbench#/plans'),
};

/** A call for each tool that changes an existing resource. */
const changing: Record<string, () => Record<string, unknown>> = {
  upsertTemplate: () => ({ templateId: 'offer', body: { ...templateBody('offer'), title: `Now ${values.passId}` } }),
  updatePass: () => ({ ...values, body: { code: `NEW-${values.passId}` } }),
  voidPass: () => values,
};

describe('a supervised key', () => {
  it('this spec covers every tool that changes something, except createPass', async () => {
    const { tools } = await agent.client.listTools();
    const changes = tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(changes.sort()).toEqual([...Object.keys(changing), 'createPass'].sort());
  });

  it.each(Object.keys(changing))(
    "an agent can execute its plan of %s once, on any node, after a user's confirmation",
    async (tool) => {
      const call = changing[tool]?.() ?? {};
      const [pass, template] = [await passOf(), (await account.get('/v1/templates/offer')).body];
      const plan = await agent.result(tool, call);
      expect(plan).toMatchObject({ planned: true, confirmAt: expect.stringContaining('/workbench#/plans') });
      const { planToken } = plan;
      for (const node of [service, otherNode]) {
        const elsewhere = await Agent.connect(node, apiKey);
        expect(await elsewhere.error(tool, { ...call, planToken })).toMatchObject(unconfirmed);
      }
      const again = await agent.result(tool, call);
      expect(await agent.error(tool, { ...call, planToken: again.planToken })).toMatchObject(unconfirmed);
      expect([await passOf(), (await account.get('/v1/templates/offer')).body]).toEqual([pass, template]);

      const stored = await planOf(tool);
      expect(stored).toMatchObject({ does: plan.does, reaches: plan.reaches, confirmedAt: null });
      const confirmed = await account.post(`/v1/account/plans/${String(stored?.id)}/confirm`);
      expect([confirmed.status, confirmed.body.confirmedAt]).toEqual([200, expect.any(String)]);
      const done = await (await Agent.connect(otherNode, apiKey)).result(tool, { ...call, planToken });
      expect(done).not.toHaveProperty('planned');
      expect([await passOf(), (await account.get('/v1/templates/offer')).body]).not.toEqual([pass, template]);
      expect(await agent.error(tool, { ...call, planToken })).toMatchObject({
        message: expect.stringContaining('has changed since'),
      });
      expect(await planOf(tool)).toBeUndefined();
    },
  );

  it('a confirmation is not valid for other arguments, for another key, or after a change of the resource', async () => {
    const planToken = await agent.planToken('voidPass', values);
    await account.post(`/v1/account/plans/${String((await planOf('voidPass'))?.id)}/confirm`);
    const { body } = await account.post('/v1/pass/offer', {});
    const other = { ...values, passId: body.pass.id as string };
    const theirs = (await account.post('/v1/auth/keys', { name: 'Other', supervised: true })).body.key as string;
    const colleague = await Agent.connect(service, theirs);
    const own = await agent.planToken('voidPass', other);
    expect(await agent.error('voidPass', { ...other, planToken: own })).toMatchObject(unconfirmed);
    const foreign = await colleague.planToken('voidPass', values);
    expect(await colleague.error('voidPass', { ...values, planToken: foreign })).toMatchObject(unconfirmed);
    await account.patch(`/v1/pass/offer/${values.passId}`, { code: `MEANWHILE-${values.passId}` });
    expect(await agent.error('voidPass', { ...values, planToken })).toMatchObject({ code: 'validation_failed' });
    const fresh = await agent.planToken('voidPass', values);
    expect(await agent.error('voidPass', { ...values, planToken: fresh })).toMatchObject(unconfirmed);
    expect((await passOf()).voided).toBe(false);
  });

  it.each(['voidPass', 'updatePass'])(
    '412 precondition_failed for %s if the pass changes while its confirmed plan is executed',
    async (tool) => {
      const call = changing[tool]?.() ?? {};
      const planToken = await agent.planToken(tool, call);
      await account.post(`/v1/account/plans/${String((await planOf(tool))?.id)}/confirm`);
      const stored = service.app.get(AgentPlansService);
      jest.spyOn(stored, 'confirmationOf').mockImplementation(async (...given) => {
        await account.patch(`/v1/pass/offer/${values.passId}`, { code: `MEANWHILE-${values.passId}` });
        return AgentPlansService.prototype.confirmationOf.apply(stored, given);
      });
      expect(await agent.error(tool, { ...call, planToken })).toMatchObject({ code: 'precondition_failed' });
      expect(await passOf()).toMatchObject({ voided: false, code: `MEANWHILE-${values.passId}` });
    },
  );

  it('a confirmation becomes invalid if the call would reach more holders than planned', async () => {
    const call = changing.upsertTemplate?.() ?? {};
    const confirmed = await agent.planToken('upsertTemplate', call);
    await account.post(`/v1/account/plans/${String((await planOf('upsertTemplate'))?.id)}/confirm`);
    const { status } = await account.post('/v1/pass/offer', {});
    expect(status).toBe(201);
    expect(await agent.error('upsertTemplate', { ...call, planToken: confirmed })).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('now reach other passes or devices'),
    });
    const { planToken } = await agent.result('upsertTemplate', call);
    for (const token of [planToken, confirmed]) {
      expect(await agent.error('upsertTemplate', { ...call, planToken: token })).toMatchObject(unconfirmed);
    }
    await account.post(`/v1/account/plans/${String((await planOf('upsertTemplate'))?.id)}/confirm`);
    expect(await agent.result('upsertTemplate', { ...call, planToken: confirmed })).toMatchObject({ id: 'offer' });
  });

  it('a plan and its confirmation expire after a day', async () => {
    const planToken = await agent.planToken('voidPass', values);
    await account.post(`/v1/account/plans/${String((await planOf('voidPass'))?.id)}/confirm`);
    jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(new Date(Date.now() + 24 * 3_600_000 + 1000));
    expect(await agent.error('voidPass', { ...values, planToken })).toMatchObject({
      message: expect.stringContaining('expired'),
    });
    jest.restoreAllMocks();
    expect((await passOf()).voided).toBe(false);
  });

  it('a supervised key issues passes and creates templates immediately, without a plan', async () => {
    const templateId = `new-${values.passId}`;
    expect(await agent.result('upsertTemplate', { templateId, body: templateBody('offer') })).toMatchObject({
      id: templateId,
    });
    expect(await agent.result('createPass', { templateId, body: {} })).toMatchObject({ pass: { voided: false } });
  });

  it('403 forbidden for every operation of the API with a supervised key, even with all scopes', async () => {
    const document = await openApi(service);
    const operations = operationsOf(document).filter(({ secured, isForPhones }) => secured && !isForPhones);
    expect(operations.length).toBeGreaterThan(80);
    for (const { id, method, path, source } of operations) {
      const filled = path.replace('{templateId}', 'offer').replace('{passId}', values.passId);
      const body = source.requestBody ? {} : undefined;
      const response = await service.request(method, filled.replace(/\{\w+\}/g, '1'), { token: apiKey, body });
      expect([id, response.status]).toEqual([id, 403]);
    }
    const { message } = (await service.request('GET', '/v1/templates', { token: apiKey })).body;
    expect(message).toContain('works only at /mcp');
  });

  it('403 forbidden for an API key that confirms a plan, and 404 not_found for a user of another account', async () => {
    await agent.result('voidPass', values);
    const path = `/v1/account/plans/${String((await planOf('voidPass'))?.id)}/confirm`;
    const admin = await account.apiKey('account:write', 'passes:write');
    for (const token of [apiKey, admin]) {
      expect((await service.request('POST', path, { token })).body).toMatchObject({ code: 'forbidden' });
    }
    const stranger = await service.register();
    expect((await stranger.post(path)).body).toMatchObject({ code: 'not_found' });
    expect((await stranger.get('/v1/account/plans')).body.data).toEqual([]);
    expect(await planOf('voidPass')).toMatchObject({ confirmedAt: null });
  });

  it('a user sees the old and the new value of each change in a plan', async () => {
    await account.patch(`/v1/pass/offer/${values.passId}`, { metadata: { order: 7, shop: 'Berlin' } });
    const fields = [{ key: 'name', label: 'Name', value: 'Grace Hopper' }];
    await agent.result('updatePass', { ...values, body: { code: 'SECRET-CODE', fields, metadata: { order: 8 } } });
    await agent.result('upsertTemplate', { templateId: 'offer', body: { ...templateBody('offer'), title: 'Shown' } });
    expect(await detailsOf('updatePass')).toMatchObject({
      ...values,
      changed: ['code', 'fields', 'metadata'],
      changes: {
        code: { from: (await passOf()).code, to: 'SECRET-CODE' },
        fields: { to: fields },
        metadata: { from: { order: 7, shop: 'Berlin' }, to: { order: 8, shop: 'Berlin' } },
      },
    });
    expect(await detailsOf('upsertTemplate')).toMatchObject({
      passId: null,
      changes: { title: { from: expect.any(String), to: 'Shown' } },
    });
    expect(JSON.stringify(await plans())).not.toMatch(/SECRET-CODE|Grace|Shown/);
  });

  it('a plan shows long values completely', async () => {
    const backFields = Array.from({ length: 50 }, (_, at) => ({ key: `b${at}`, label: 'L', value: 'ü'.repeat(4000) }));
    const body = { ...templateBody('offer'), title: 'Shown', backFields };
    await agent.result('upsertTemplate', { templateId: 'offer', body });
    expect((await detailsOf('upsertTemplate')).changes).toMatchObject({
      title: { to: 'Shown' },
      backFields: { to: backFields },
    });
  });

  it('the service deletes a plan together with its pass, and confirming the plan then gets 404 not_found', async () => {
    await agent.result('updatePass', { ...values, body: { code: 'GONE' } });
    const { id } = (await planOf('updatePass')) ?? {};
    const keys = () =>
      service.app
        .get(DataSource)
        .query<unknown[]>(`SELECT FROM encryption_key WHERE account_id = $1 AND id = $2`, [
          account.id,
          `plan:${String(id)}`,
        ]);
    expect(await keys()).toHaveLength(1);
    await account.delete(`/v1/pass/offer/${values.passId}`);
    expect(await keys()).toEqual([]);
    expect((await account.post(`/v1/account/plans/${String(id)}/confirm`)).body).toMatchObject({ code: 'not_found' });
    expect(await plans()).not.toContainEqual(expect.objectContaining({ passId: values.passId }));
  });

  it("plans use only the tenant's own slots of the concurrency limiter", async () => {
    const seen: string[] = [];
    let isInSlot = false;
    const { within } = RequestSlot.prototype;
    jest.spyOn(RequestSlot.prototype, 'within').mockImplementation(function (this: RequestSlot, task) {
      return within.call(this, async () => {
        isInSlot = true;
        return task().finally(() => (isInSlot = false));
      });
    });
    const [reaches, stored] = [service.app.get(PlanReachService), service.app.get(AgentPlansService)];
    jest.spyOn(reaches, 'ofPass').mockImplementation((...given) => {
      seen.push(`ofPass ${isInSlot}`);
      return PlanReachService.prototype.ofPass.apply(reaches, given);
    });
    jest.spyOn(stored, 'store').mockImplementation((...given) => {
      seen.push(`store ${isInSlot}`);
      return AgentPlansService.prototype.store.apply(stored, given);
    });
    jest.spyOn(stored, 'confirmationOf').mockImplementation((...given) => {
      seen.push(`confirmationOf ${isInSlot}`);
      return AgentPlansService.prototype.confirmationOf.apply(stored, given);
    });
    const planToken = await agent.planToken('voidPass', values);
    expect(await agent.error('voidPass', { ...values, planToken })).toMatchObject(unconfirmed);
    expect(seen).toEqual(['ofPass true', 'store true', 'ofPass true', 'confirmationOf true']);
  });

  it.each([
    [500, 'internal', 'secret of the database'],
    [503, 'not_ready', 'Connection terminated unexpectedly'],
  ])('%i %s for a plan that fails unexpectedly; only the log says why', async (statusCode, code, why) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    jest.spyOn(service.app.get(PlanReachService), 'ofPass').mockRejectedValue(new Error(why));
    const error = await agent.error('voidPass', values);
    expect(error).toMatchObject({ statusCode, code });
    expect(JSON.stringify(error)).not.toContain(why);
    expect(logged).toHaveBeenCalledWith({
      requestId: expect.any(String),
      err: expect.objectContaining({ message: why }),
    });
  });

  it('a new plan locks its pass before earlier plans, as the deletion of a pass does', async () => {
    await agent.result('updatePass', { ...values, body: { code: `OLD-${values.passId}` } });
    await account.patch(`/v1/pass/offer/${values.passId}`, { code: `MEANWHILE-${values.passId}` });
    const database = service.app.get(Database);
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    let planning: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await service.app.get(IssuedPassesService).lock(tx, { accountId: account.id, ...values });
      planning ??= agent.result('updatePass', { ...values, body: { code: `NEW-${values.passId}` } });
      // Prevents an unhandled rejection. The test awaits the promise below.
      planning.catch(() => undefined);
      while ((await database.reads.query<unknown[]>(waiting)).length === 0) await pause(5);
      await tx.query('SELECT FROM agent_plan WHERE account_id = $1 AND pass_id = $2 FOR UPDATE NOWAIT', [
        account.id,
        values.passId,
      ]);
    });
    expect(await planning).toMatchObject({ planned: true });
  });

  it.each([
    ['a long text', { title: 'x'.repeat(1_020_000) }],
    ['a long name', { ['x'.repeat(1000)]: 1 }],
    ['many names', Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`x${at}`, 1]))],
  ])('400 validation_failed for a plan of a body with %s, which is not stored', async (_, more) => {
    const before = (await plans()).length;
    const body = { ...templateBody('offer'), ...more };
    expect(await agent.error('upsertTemplate', { templateId: 'offer', body })).toMatchObject({
      code: 'validation_failed',
    });
    expect(await agent.error('updatePass', { ...values, body: more })).toMatchObject({ code: 'validation_failed' });
    expect(await plans()).toHaveLength(before);
  });

  it('403 limit_exceeded when 100 plans of a key await confirmation', async () => {
    const body = (await account.post('/v1/auth/keys', { name: 'Busy', supervised: true })).body;
    const busy = await Agent.connect(service, body.key as string);
    const call = (at: number) => ({ ...values, body: { code: `C${at}` } });
    for (let at = 0; at < 100; at++) await busy.result('updatePass', call(at));
    expect(await busy.error('updatePass', call(100))).toMatchObject({ statusCode: 403, code: 'limit_exceeded' });
    expect(await busy.result('updatePass', call(7))).toMatchObject({ planned: true });
  });
});

/** Connects a client that gives the answer `action` to each question of the server. */
async function asking(action: 'accept' | 'decline' | 'cancel', token: string) {
  const questions: string[] = [];
  const versionNegotiation = { mode: { pin: '2026-07-28' } } as const;
  const client = new Client(
    { name: 'spec', version: '1' },
    { versionNegotiation, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return action === 'accept' ? { action, content: {} } : { action };
  });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), { requestInit }));
  return { questions, call: (values: object) => client.callTool({ name: 'voidPass', arguments: { ...values } }) };
}

it.each([
  ['\u0000', 'must not hold control characters other than newline and tab (U+0000)'],
  ['\ud800', 'must not hold half a surrogate pair (U+D800)'],
])('400 validation_failed for a plan with %j, which Postgres cannot store', async (value, problem) => {
  const fields = [{ key: 'gate', label: 'Gate', value }];
  const calls = {
    upsertTemplate: { templateId: 'offer', body: { ...templateBody('offer'), fields } },
    updatePass: { ...values, body: { fields } },
  };
  for (const [name, args] of Object.entries(calls)) {
    const { status, body } = await post(service, apiKey, request('tools/call', { name, arguments: args }));
    const message = `params.arguments.body.fields[0].value ${problem}`;
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'validation_failed', message })]);
  }
});

describe('a client that can ask the person (elicitation)', () => {
  const planToken = async (call: Awaited<ReturnType<typeof asking>>['call']) =>
    ((await call(values)).structuredContent as { planToken: string }).planToken;

  it('the server executes a plan only after the person has accepted the numbers in it', async () => {
    const { questions, call } = await asking('accept', await account.apiKey());
    const token = await planToken(call);
    expect(questions).toEqual([]);
    expect(await call({ ...values, planToken: token })).not.toHaveProperty('isError', true);
    expect(questions).toEqual([expect.stringContaining('It reaches 1 pass')]);
    expect(questions[0]).toContain(`offer/${values.passId}`);
    expect((await passOf()).voided).toBe(true);
  });

  it.each(['decline', 'cancel'] as const)('nothing changes when the person answers with "%s"', async (action) => {
    const { questions, call } = await asking(action, await account.apiKey());
    const { isError, content } = await call({ ...values, planToken: await planToken(call) });
    expect([isError, questions.length]).toEqual([true, 1]);
    expect(JSON.stringify(content)).toContain('did not confirm');
    expect((await passOf()).voided).toBe(false);
  });

  it("a supervised key needs more than a person's consent through the client", async () => {
    const { questions, call } = await asking('accept', apiKey);
    const { isError, content } = await call({ ...values, planToken: await planToken(call) });
    expect([isError, questions]).toEqual([true, []]);
    expect(JSON.stringify(content)).toContain('/workbench#/plans');
    expect((await passOf()).voided).toBe(false);
  });
});
