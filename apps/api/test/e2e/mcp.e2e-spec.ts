import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { Tool } from '@modelcontextprotocol/client';
import { Clock } from '@passwright/core';
import { ApiCallsService } from '../../src/mcp/api-calls.service.js';
import { Agent, messageOf, post, request, type Generation } from '../support/mcp-agent.js';
import type { Json } from '../support/json.js';
import { openApi, operationsOf, type Operation } from '../support/operations.js';
import { passBody, RunningService, templateBody, type Account } from '../support/running-service.js';

let service: RunningService;
let otherNode: RunningService;
let account: Account;
let apiKey: string;
let agent: Agent;
const withOutputSchemas = '/mcp?outputSchemas=true';
const offer = (changes: object = {}) => ({ templateId: 'offer', body: { ...templateBody('offer'), ...changes } });

beforeAll(async () => {
  service = await RunningService.start();
  otherNode = await RunningService.start({}, service);
  account = await service.register();
  apiKey = await account.apiKey();
  await account.saveTemplate('offer');
  agent = await Agent.connect(service, apiKey);
});
afterAll(async () => {
  await otherNode.stop();
  await service.stop();
});
afterEach(() => jest.restoreAllMocks());

const validator = (schema: object) => new AjvJsonSchemaValidator().getValidator(schema);

async function keyWith(body: object): Promise<string> {
  const { status, body: made } = await account.post('/v1/auth/keys', { name: 'Agent', ...body });
  expect(status).toBe(201);
  return made.key as string;
}

describe('the tools', () => {
  let tools: Tool[];
  let operations: Operation[];
  let document: Json;
  const tool = (name: string) => tools.find((one) => one.name === name) as Tool;

  beforeAll(async () => {
    ({ tools } = await agent.client.listTools());
    document = await openApi(service);
    operations = operationsOf(document).filter(({ source }) => source.tags.includes('mcp'));
  });

  it("the tools are the document's operations tagged mcp, with their names, titles and descriptions", () => {
    expect(operations.length).toBeGreaterThan(9);
    expect(tools.map(({ name }) => name).sort()).toEqual(operations.map(({ id }) => id).sort());
    for (const { id, source } of operations) {
      const { title, description } = tool(id);
      expect([id, title]).toEqual([id, source.summary]);
      expect(description?.startsWith([`${source.summary}.`, source.description].filter(Boolean).join(' '))).toBe(true);
    }
  });

  it('the tools are listed in this order: templates, passes, the rest', () => {
    expect(tools.map(({ name }) => name)).toEqual([
      ...['listTemplates', 'upsertTemplate', 'getTemplate', 'lintTemplate', 'previewTemplate'],
      ...['createPass', 'listPasses', 'getPass', 'updatePass', 'getPassDelivery', 'previewPass', 'voidPass'],
      'getAccount',
    ]);
  });

  it("a tool's description says if the first call changes nothing, and names the default format", () => {
    for (const { name, description, inputSchema } of tools) {
      const { planToken, body, format } = inputSchema.properties as Record<string, Record<string, unknown>>;
      expect([name, /the first call changes nothing/i.test(description ?? '')]).toEqual([
        name,
        planToken !== undefined,
      ]);
      // Some models send an object as text if its schema has a reference but no type.
      if (body) expect([name, body]).toEqual([name, expect.objectContaining({ type: 'object' })]);
      if (format) expect([name, format.description]).toEqual([name, expect.stringContaining('Default: `png`')]);
    }
  });

  it('each tool takes the parameters and the body of its operation, and requires what the operation requires', () => {
    for (const { id, source } of operations) {
      const parameters = (source.parameters as { name: string; in: string; required: boolean }[]).filter(
        (parameter) => parameter.in !== 'header',
      );
      const { properties, required, additionalProperties } = tool(id).inputSchema as Record<string, object>;
      const body = source.requestBody ? ['body'] : [];
      const plan = ['upsertTemplate', 'updatePass', 'voidPass'].includes(id) ? ['planToken'] : [];
      const key = id === 'createPass' ? ['idempotencyKey'] : [];
      expect([id, Object.keys(properties ?? {}), additionalProperties]).toEqual([
        id,
        [...parameters.map(({ name }) => name).filter((name) => name !== 'accountId'), ...key, ...body, ...plan],
        false,
      ]);
      const needed = parameters.filter((one) => one.required).map(({ name }) => name);
      expect([id, required]).toEqual([id, [...needed, ...(source.requestBody?.required ? body : [])]]);
    }
  });

  it('the schemas of tools compile, define each reference, and contain no OpenAPI keyword', async () => {
    const described = await Agent.connect(service, apiKey, 'modern', withOutputSchemas);
    for (const { name, inputSchema, outputSchema } of (await described.client.listTools()).tools) {
      for (const schema of [inputSchema, ...(outputSchema ? [outputSchema] : [])]) {
        expect(() => validator(schema)).not.toThrow();
        expect([name, JSON.stringify(schema)]).toEqual([
          name,
          expect.not.stringMatching(/components\/|"nullable":|"type":\[/),
        ]);
      }
    }
  });

  it('the list of tools has no schemas of results, and only one schema for all types of template', () => {
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    // A token has about four characters, and the list may have 9,000 tokens.
    expect(JSON.stringify(tools).length).toBeLessThan(36_000);
    const { body } = tool('upsertTemplate').inputSchema.properties as { body: { properties: Record<string, object> } };
    expect(body.properties).toMatchObject({
      type: { enum: ['offer', 'event', 'generic', 'membership'] },
      startDate: { description: expect.stringContaining('Only for event. Required there.') },
    });
  });

  it('lintTemplate accepts the properties of the API request', () => {
    const { body } = tool('lintTemplate').inputSchema.properties as { body: { properties: object } };
    expect(Object.keys(body.properties)).toEqual(
      Object.keys(document.components.schemas.LintRequest.properties as object),
    );
  });

  it('the input schema of a tool accepts valid input, and rejects an unknown type or a missing body', () => {
    const check = validator(tool('upsertTemplate').inputSchema);
    expect(check(offer())).toMatchObject({ valid: true });
    expect(check(offer({ type: 'coupon' }))).toMatchObject({ valid: false });
    expect(check({ body: {} })).toMatchObject({ valid: false });
  });

  it('the tools declare whether they are read-only, destructive or idempotent', () => {
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    const [reads, destroys, makes] = [
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    ];
    for (const { id, method } of operations.filter(({ id }) => id !== 'lintTemplate')) {
      if (method === 'GET') expect([id, hints[id]]).toEqual([id, expect.objectContaining(reads)]);
      else expect(hints[id]?.readOnlyHint).toBe(false);
    }
    expect(hints.lintTemplate).toMatchObject(reads);
    expect(hints.voidPass).toMatchObject(destroys);
    expect(hints.upsertTemplate).toMatchObject(destroys);
    expect(hints.createPass).toMatchObject(makes);
    expect(hints.updatePass).toMatchObject(destroys);
  });
});

describe('a call', () => {
  it.each<Generation>(['legacy', 'modern'])(
    'a call over the %s protocol returns structured content that matches the output schema, and the same as text',
    async (generation) => {
      const client = await Agent.connect(service, apiKey, generation, withOutputSchemas);
      const { tools } = await client.client.listTools();
      const passId = `by-${generation}`;
      const saved = { templateId: passId, body: templateBody('generic') };
      const made = { templateId: passId, body: { ...passBody('generic'), code: passId } };
      await client.result('upsertTemplate', saved);
      const pass = ((await client.result('createPass', made)) as { pass: { id: string } }).pass.id;
      const calls: [string, Record<string, unknown>][] = [
        ['upsertTemplate', saved],
        ['getTemplate', { templateId: passId }],
        ['listTemplates', { limit: 1 }],
        ['lintTemplate', { templateId: passId }],
        ['createPass', { ...made, body: passBody('generic') }],
        ['getPass', { templateId: passId, passId: pass }],
        ['listPasses', { templateId: passId, limit: 1 }],
        ['updatePass', { templateId: passId, passId: pass, body: { primaryValue: 'Grace' } }],
        ['getPassDelivery', { templateId: passId, passId: pass }],
        ['voidPass', { templateId: passId, passId: pass }],
        ['getAccount', {}],
      ];
      const tried = calls.map(([name]) => name);
      const structured = tools.filter((tool) => tool.outputSchema !== undefined).map(({ name }) => name);
      expect([...tried].sort()).toEqual([...structured].sort());
      for (const [name, values] of calls) {
        const { isError, content, structuredContent } = await client.call(name, values);
        expect([name, isError, content]).toEqual([name, undefined, expect.anything()]);
        const schema = tools.find((tool) => tool.name === name)?.outputSchema ?? {};
        expect([name, validator(schema)(structuredContent)]).toEqual([name, expect.objectContaining({ valid: true })]);
        const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
        expect(JSON.parse(texts.at(-1) as string)).toEqual(structuredContent);
      }
      await client.client.close();
    },
  );

  it('a call has the same effect as its API request', async () => {
    const { pass } = (await agent.result('createPass', { templateId: 'offer', body: { code: 'BY-AGENT' } })) as {
      pass: { id: string };
    };
    const { body } = await account.get(`/v1/pass/offer/${pass.id}`);
    const exact = await Agent.connect(service, apiKey, 'modern', withOutputSchemas);
    expect(await exact.result('getPass', { templateId: 'offer', passId: pass.id })).toEqual(body);
    expect(body).toMatchObject({ pass: { code: 'BY-AGENT' } });
  });

  it('a client that wants no schemas gets short results, without values from the call itself', async () => {
    await account.saveTemplate('offer', 'many');
    for (let at = 0; at <= 20; at++) await account.post('/v1/pass/many', { id: `p${at}`, code: `SHORT-${at}` });
    const { data, nextCursor } = (await agent.result('listPasses', { templateId: 'many' })) as {
      data: object[];
      nextCursor: string;
    };
    expect([data.length, nextCursor]).toEqual([20, expect.any(String)]);
    for (const entry of data)
      expect(Object.keys(entry).sort()).toEqual(['code', 'createdAt', 'id', 'updatedAt', 'voided']);
    const whole = (await account.get('/v1/pass/many?limit=20')).body as { data: object[] };
    expect(JSON.stringify(data).length).toBeLessThan(JSON.stringify(whole.data).length / 3);
    const read = await agent.result('getPass', { templateId: 'many', passId: 'p0' });
    expect(read).toMatchObject({ pass: { id: 'p0' }, webUrl: expect.any(String) });
  });

  it('a repeated call of createPass with the same key returns the first pass', async () => {
    const call = { templateId: 'offer', idempotencyKey: 'order-17', body: {} };
    const [first, second] = [await agent.result('createPass', call), await agent.result('createPass', call)];
    expect(second).toEqual(first);
    const other = await agent.error('createPass', { ...call, body: { code: 'OTHER-BODY' } });
    expect(other).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await agent.error('createPass', { ...call, idempotencyKey: 'naïve key' })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('idempotencyKey must be'),
    });
  });

  it('a call that saves or previews a pass or a template returns the preview as a PNG', async () => {
    const passes = await agent.call('createPass', { templateId: 'offer', body: {} });
    const { id } = (passes.structuredContent as { pass: { id: string } }).pass;
    const responses = [
      passes,
      await agent.call('updatePass', { templateId: 'offer', passId: id, body: { code: 'SEEN' } }),
      await agent.call('upsertTemplate', { ...offer(), templateId: 'pictured' }),
      await agent.call('previewTemplate', { templateId: 'offer', wallet: 'walletB', theme: 'dark' }),
      await agent.call('previewPass', { templateId: 'offer', passId: id }),
    ];
    for (const { content } of responses) {
      const picture = content.find((one) => one.type === 'image') as { data: string; mimeType: string };
      expect(picture.mimeType).toBe('image/png');
      expect(Buffer.from(picture.data, 'base64').subarray(1, 4).toString()).toBe('PNG');
    }
    const drawing = await agent.call('previewTemplate', { templateId: 'offer', format: 'svg', wallet: 'walletA' });
    expect(drawing.content).toEqual([{ type: 'text', text: expect.stringMatching(/^<svg/) }]);
  });

  it('the error body of a failed call names arguments and tools, and has no docUrl', async () => {
    const response = await account.post('/v1/pass/offer', { nope: 1, code: 7 });
    const failed = await agent.error('createPass', { templateId: 'offer', body: { nope: 1, code: 7 } });
    const { docUrl, ...body } = response.body;
    expect(docUrl).toMatch(/\/guides\/errors#validation_failed$/);
    const message = (body.message as string).split('; ').map((sentence) => `body.${sentence}`);
    message.push('body of createPass takes id, ');
    expect(failed).toEqual({ ...body, message: expect.stringContaining(message.join('; ')) });
    const missing = await account.get('/v1/templates/missing');
    expect(missing.body.message).toContain('GET /v1/templates ');
    const { docUrl: _, ...rejected } = missing.body;
    expect(await agent.error('getTemplate', { templateId: 'missing' })).toEqual({
      ...rejected,
      message: (missing.body.message as string).replace('GET /v1/templates', 'listTemplates'),
    });
  });

  it('400 validation_failed for a missing path parameter, one that is not text, or an unknown argument', async () => {
    const invalid: Record<string, unknown>[] = [
      { templateId: 'offer' },
      { templateId: 'offer', passId: '' },
      { templateId: 'offer', passId: 5 },
      { templateId: 'offer', passId: 'p', dryRun: true },
    ];
    for (const values of invalid) {
      const error = await agent.error('voidPass', values);
      expect([values, error]).toEqual([
        values,
        expect.objectContaining({ statusCode: 400, code: 'validation_failed' }),
      ]);
    }
    const message = 'planToken is not an argument of getTemplate, which takes templateId';
    expect(await agent.error('getTemplate', { templateId: 'offer', planToken: 'x' })).toMatchObject({ message });
  });

  it.each(['../account', '..', '.', '?limit=1', '#', 'a/b', '%2e%2e', 'x'.repeat(5000)])(
    '400 or 404 for the templateId %j, which must not lead to another route',
    async (templateId) => {
      const { statusCode } = await agent.error('getTemplate', { templateId });
      expect([400, 404]).toContain(statusCode);
    },
  );

  it('404 for resources of another account, as for missing ones', async () => {
    const stranger = await service.register();
    const { body } = await stranger.issue('event');
    const values = { templateId: 'event', passId: body.pass.id as string };
    expect(await agent.error('getPass', values)).toMatchObject({ code: 'pass_not_found' });
    expect(await agent.error('voidPass', values)).toMatchObject({ code: 'pass_not_found' });
    const exact = await Agent.connect(service, apiKey, 'modern', withOutputSchemas);
    const { data } = (await exact.result('listTemplates', { limit: 100 })) as { data: { accountId: string }[] };
    expect(data.filter(({ accountId }) => accountId !== account.id)).toEqual([]);
    await expect(agent.client.readResource({ uri: 'passwright://templates/event' })).rejects.toThrow(/not found/i);
  });

  it('403 forbidden for a call without the scope', async () => {
    const reader = await Agent.connect(service, await account.apiKey('passes:read'));
    const error = await reader.error('createPass', { templateId: 'offer', body: {} });
    expect(error).toMatchObject({
      statusCode: 403,
      code: 'forbidden',
      message: expect.stringContaining('passes:write'),
    });
  });

  it('429 rate_limited beyond the limit, to which a call and its requests both count', async () => {
    const limited = await RunningService.start({ RATE_LIMIT_PER_MINUTE: '3' }, service);
    const token = await account.apiKey();
    const call = () => post(limited, token, request('tools/call', { name: 'getAccount', arguments: {} }));
    expect(messageOf(await call())).toMatchObject({ result: { structuredContent: { id: account.id } } });
    const { result } = messageOf(await call()) as { result: { isError: boolean; content: { text: string }[] } };
    expect(JSON.parse(result.content[0]?.text as string)).toMatchObject({
      statusCode: 429,
      code: 'rate_limited',
      retryAfterSeconds: expect.any(Number),
    });
    const { status, body, headers } = await call();
    expect([status, body.code, Number(headers.get('retry-after'))]).toEqual([429, 'rate_limited', expect.any(Number)]);
    await limited.stop();
  });

  it('the protocol rejects a call of an unknown tool', async () => {
    await expect(agent.call('archiveTemplate', { templateId: 'offer' })).rejects.toThrow(/no tool "archiveTemplate"/);
  });
});

describe('a tool in two steps', () => {
  let values: { templateId: string; passId: string };

  beforeEach(async () => {
    const { body } = await account.post('/v1/pass/offer', {});
    values = { templateId: 'offer', passId: body.pass.id };
  });
  const isVoid = async () => (await account.get(`/v1/pass/offer/${values.passId}`)).body.pass.voided as boolean;

  it("a two-step tool first returns a plan; any node then executes it with the plan's token", async () => {
    const plan = await agent.result('voidPass', values);
    expect(plan).toMatchObject({ planned: true, now: { pass: { id: values.passId, voided: false } } });
    expect(await isVoid()).toBe(false);
    const elsewhere = await Agent.connect(otherNode, apiKey);
    await elsewhere.result('voidPass', { ...values, planToken: plan.planToken });
    expect(await isVoid()).toBe(true);
  });

  it('a two-step tool replaces a template as planned, with its properties in any order', async () => {
    const fresh = { ...offer(), templateId: 'fresh' };
    expect(await agent.result('upsertTemplate', fresh)).toMatchObject({ id: 'fresh', title: 'Summer offer' });
    const changed = { ...fresh, body: { ...fresh.body, title: 'Winter' } };
    await account.post('/v1/pass/fresh', {});
    const { planToken, changes, reaches, does, now } = await agent.result('upsertTemplate', changed);
    expect(changes).toEqual({ title: { from: 'Summer offer', to: 'Winter' } });
    expect(reaches).toEqual({ passes: 1, appleDevices: 0, googlePasses: 0 });
    expect(does).toContain('It reaches 1 pass, on 0 Apple devices and with 0 passes in Google Wallet.');
    expect(now).toBeUndefined();
    expect((await account.get('/v1/templates/fresh')).body.title).toBe('Summer offer');
    const body = Object.fromEntries(Object.entries(changed.body).reverse());
    expect(await agent.result('upsertTemplate', { planToken, body, templateId: 'fresh' })).toMatchObject({
      title: 'Winter',
    });
  });

  it('a two-step tool makes no plan for a call that the API would reject', async () => {
    const field = { key: 'seat', label: 'Seat', value: '7', lable: 'Seat' };
    const rejected = { code: 'validation_failed', message: expect.not.stringContaining('planToken') };
    for (const [change, message] of [
      [{ titel: 'Winter' }, /^body\.titel is not known here; body of upsertTemplate takes .*title/],
      [{ fields: [field] }, /^body\.fields\[0\]\.lable is .* takes key, label, value/],
      [{ primaryLabel: 'Name' }, /^body\.primaryLabel is not known here: only templates of type generic or member/],
    ] as const) {
      const error = await agent.error('upsertTemplate', offer(change));
      expect(error).toMatchObject({ ...rejected, message: expect.stringMatching(message) });
    }
    const body = { voided: true, fields: 'none' };
    const error = await agent.error('updatePass', { ...values, body });
    expect(error).toMatchObject({ ...rejected, message: expect.stringMatching(/^body\.fields must be/) });
    expect(await isVoid()).toBe(false);
  });

  it('a two-step tool does not replace a template that was created after its plan', async () => {
    const api = service.app.get(ApiCallsService, { strict: false });
    const call = api.call.bind(api);
    jest.spyOn(api, 'call').mockImplementationOnce(async (...given) => {
      const read = await call(...given);
      await account.saveTemplate('offer', 'raced', { title: 'Theirs' });
      return read;
    });
    const rejected = await agent.error('upsertTemplate', { ...offer(), templateId: 'raced' });
    expect(rejected).toMatchObject({ code: 'precondition_failed' });
    expect((await account.get('/v1/templates/raced')).body.title).toBe('Theirs');
  });

  it('a two-step tool rejects a token that is forged, used, or from another call or caller', async () => {
    const planToken = await agent.planToken('voidPass', values);
    const colleague = await Agent.connect(service, await account.apiKey());
    const { body } = await account.post('/v1/pass/offer', {});
    const unknown = { code: 'validation_failed', message: expect.stringContaining('not belong to a plan for exactly') };
    const made = planToken.replace(/^plan_\w+/, 'plan_zzzzzzzz');
    for (const token of ['', 'x', 'plan_', made, `${planToken}x`, 7, null]) {
      expect(await agent.error('voidPass', { ...values, planToken: token })).toMatchObject(unknown);
    }
    expect(await agent.error('voidPass', { ...values, passId: body.pass.id, planToken })).toMatchObject(unknown);
    expect(await colleague.error('voidPass', { ...values, planToken })).toMatchObject(unknown);
    expect(await isVoid()).toBe(false);
    await agent.result('voidPass', { ...values, planToken });
    const changed = { message: expect.stringContaining('has changed since') };
    expect(await agent.error('voidPass', { ...values, planToken })).toMatchObject(changed);
  });

  it.each([
    { voided: true },
    { voided: true, fields: [] },
    { expiry: '2020-01-01T00:00:00.000Z' },
    { expiry: '2999-01-01T00:00:00.000Z' },
    { validFrom: '2998-01-01T00:00:00.000Z' },
  ])('a two-step tool first plans a change that voids a pass or shortens its validity: %j', async (body) => {
    const before = (await account.get(`/v1/pass/offer/${values.passId}`)).body;
    const change = { ...values, body };
    const plan = await agent.result('updatePass', change);
    expect(plan).toMatchObject({ planned: true, changes: expect.anything(), reaches: { passes: 1 } });
    expect((await account.get(`/v1/pass/offer/${values.passId}`)).body).toEqual(before);
    expect(
      await agent.error('updatePass', { ...values, body: { voided: true, code: 'x' }, planToken: plan.planToken }),
    ).toBeDefined();
    expect(await agent.result('updatePass', { ...change, planToken: plan.planToken })).not.toHaveProperty('planned');
  });

  it('a two-step tool changes a pass immediately if its validity stays the same or grows', async () => {
    await agent.result('updatePass', { ...values, body: { code: 'OTHER' } });
    await account.patch(`/v1/pass/offer/${values.passId}`, { expiry: '2998-01-01T00:00:00.000Z' });
    for (const [expiry, shown] of [['2999-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'], [null]]) {
      const changed = await agent.result('updatePass', { ...values, body: { expiry, voided: false } });
      expect(changed).toMatchObject({ pass: { code: 'OTHER' } });
      expect((changed as { pass: { expiry?: string } }).pass.expiry).toBe(shown);
    }
  });

  it('a two-step tool rejects the argument accountId', async () => {
    const foreign = { ...offer(), accountId: account.id };
    expect(await agent.error('upsertTemplate', foreign)).toMatchObject({
      message: expect.stringContaining('accountId'),
    });
  });

  it('a two-step tool rejects a plan that is older than ten minutes, or whose resource has changed', async () => {
    const planToken = await agent.planToken('voidPass', values);
    await account.patch(`/v1/pass/offer/${values.passId}`, { code: 'MEANWHILE' });
    const changed = { message: expect.stringContaining('has changed since') };
    expect(await agent.error('voidPass', { ...values, planToken })).toMatchObject(changed);

    const old = await agent.planToken('voidPass', values);
    jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(new Date(Date.now() + 10 * 60_000 + 1000));
    const expired = { message: expect.stringContaining('has expired') };
    expect(await agent.error('voidPass', { ...values, planToken: old })).toMatchObject(expired);
    expect(await isVoid()).toBe(false);
  });
});

describe("a key's list of tools", () => {
  it("a key's list of tools limits what its agents see and call, but not its other requests", async () => {
    const key = await keyWith({ tools: ['listTemplates', 'createPass'] });
    const bound = await Agent.connect(service, key);
    expect((await bound.toolNames()).sort()).toEqual(['createPass', 'listTemplates']);
    expect(await bound.result('listTemplates', { limit: 1 })).toMatchObject({ data: [expect.anything()] });
    await expect(bound.call('getTemplate', { templateId: 'offer' })).rejects.toThrow(/no tool "getTemplate"/);
    expect((await bound.client.listResourceTemplates()).resourceTemplates).toEqual([]);
    await expect(bound.client.readResource({ uri: 'passwright://templates/offer' })).rejects.toThrow(/not found/i);
    expect((await service.request('GET', '/v1/templates/offer', { token: key })).status).toBe(200);
  });

  it('a key has the same list of tools after a rotation, and shows the list when it is read', async () => {
    const { body } = await account.post('/v1/auth/keys', { name: 'Agent', tools: ['getPass'] });
    expect(body.tools).toEqual(['getPass']);
    expect((await account.get('/v1/auth/keys')).body.data[0]).toMatchObject({ id: body.id, tools: ['getPass'] });
    const rotated = await account.post(`/v1/auth/keys/${body.id}/rotate`);
    expect(await (await Agent.connect(service, rotated.body.key as string)).toolNames()).toEqual(['getPass']);
  });

  it.each([[['archiveTemplate']], [['getPass', 'getPass']], [[]], ['getPass'], [[7]]])(
    '400 validation_failed for the list of tools %j',
    async (tools) => {
      const { status, body } = await account.post('/v1/auth/keys', { name: 'Agent', tools });
      expect([status, body.code, body.message]).toEqual([400, 'validation_failed', expect.stringContaining('tools')]);
    },
  );
});
