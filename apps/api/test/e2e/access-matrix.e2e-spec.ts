import { createHash, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { DataSource } from 'typeorm';
import type { Json } from '../support/json.js';
import { filled, openApi, operationsOf, type Operation } from '../support/operations.js';
import { attempt, missingThings, type Things, thingsOf } from '../support/own-things.js';
import { sendRaw } from '../support/raw-request.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

// The tests log in often, and hashing a password takes long on a busy machine.
jest.setTimeout(120_000);

/* The expected access rules repeat those of the API document. They are not read from the code. */
const scopes = [
  ...['templates:read', 'templates:write', 'passes:read', 'passes:write'],
  ...['members:read', 'members:write', 'account:read', 'account:write'],
];
interface Need {
  readonly scope: string | null;
  /** Further scopes that the operation requires besides `scope`. */
  readonly besides?: readonly string[];
  readonly caller: 'anyone' | 'user' | 'key';
}

/** The access rules. The first one that matches `METHOD path` applies. */
const rules: [RegExp, Need][] = [
  [/ \/v1\/auth\/keys/, { scope: 'account:write', caller: 'anyone' }],
  [/ \/v1\/account\/plans/, { scope: null, caller: 'user' }],
  [/ \/v1\/auth\//, { scope: null, caller: 'user' }],
  [
    /^GET \/v1\/account(\/usage(\/days)?|\/walletA|\/walletB|\/messages)?$/,
    { scope: 'account:read', caller: 'anyone' },
  ],
  // Any member may leave an account, so no right is needed.
  [/^DELETE \/v1\/account\/members\//, { scope: 'account:read', caller: 'anyone' }],
  [/^DELETE \/v1\/account(\/deletion)?$/, { scope: 'account:write', caller: 'user' }],
  [/^GET \/v1\/webhooks/, { scope: 'account:read', caller: 'anyone' }],
  [
    /^GET \/v1\/account\/export$/,
    { scope: 'account:write', besides: scopes.filter((scope) => scope.endsWith(':read')), caller: 'anyone' },
  ],
  [/ \/v1\/privacy\/export$/, { scope: 'account:write', besides: ['passes:read', 'members:read'], caller: 'anyone' }],
  [/ \/v1\/privacy\/erase$/, { scope: 'account:write', besides: ['passes:write', 'members:write'], caller: 'anyone' }],
  [/ \/v1\/(account|webhooks)/, { scope: 'account:write', caller: 'anyone' }],
  [/^GET \/v1\/memberships\//, { scope: 'members:read', caller: 'key' }],
  [/ \/v1\/memberships\//, { scope: 'members:write', caller: 'key' }],
  [/ \/v1\/templates\/[^/]+\/messages\/dry-run$|^GET \/v1\/messages/, { scope: 'passes:read', caller: 'anyone' }],
  [/ \/v1\/templates\/[^/]+\/messages$| \/v1\/messages/, { scope: 'passes:write', caller: 'anyone' }],
  [/^GET \/v1\/templates|^POST \/v1\/templates\/\S+\/(lint|preview)$/, { scope: 'templates:read', caller: 'anyone' }],
  [/ \/v1\/templates/, { scope: 'templates:write', caller: 'anyone' }],
  [/^GET \/v1\/pass\//, { scope: 'passes:read', caller: 'anyone' }],
  [/ \/v1\/pass\//, { scope: 'passes:write', caller: 'anyone' }],
];

let service: RunningService;
let otherNode: RunningService;
let document: Json;
let operations: Operation[];
let account: Account;
let stranger: Account;

beforeAll(async () => {
  service = await RunningService.start();
  otherNode = await RunningService.start({}, service);
  document = await openApi(service);
  operations = operationsOf(document).filter(({ secured, isForPhones }) => secured && !isForPhones);
});
// Each test needs a new account, because some operations end sessions, and others create resources.
beforeEach(async () => {
  [account, stranger] = await Promise.all([service.register(), service.register()]);
});
afterAll(async () => {
  await otherNode.stop();
  await service.stop();
});

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

function needOf(operation: Operation): Need {
  const rule = rules.find(([form]) => form.test(nameOf(operation)));
  if (!rule) throw new Error(`${nameOf(operation)} fits no rule: say here who may call it`);
  return rule[1];
}

/**
 * Calls an operation with unknown ids and an invalid body, so that the call changes nothing. Each call with a
 * credential comes from another IP address, because an address may send only 300 invalid credentials a minute.
 */
function tryIt(operation: Operation, token = ''): Promise<ApiResponse> {
  const body = operation.source.requestBody ? {} : undefined;
  const headers = { 'X-Forwarded-For': [10, ...createHash('sha256').update(token).digest().subarray(0, 3)].join('.') };
  return service.request(operation.method, filled(operation.path, { memberId: '999' }), { token, body, headers });
}

const rejection = ({ status, body }: ApiResponse) =>
  status === 401 || status === 403 ? `${status} ${body.code}` : 'let in';

async function responsesOf(call: (operation: Operation) => Promise<ApiResponse>): Promise<Record<string, string>> {
  const responses: Record<string, string> = {};
  for (const operation of operations) {
    const response = await call(operation);
    expect({ operation: nameOf(operation), status: response.status < 500 || response.status }).toEqual({
      operation: nameOf(operation),
      status: true,
    });
    responses[nameOf(operation)] = rejection(response);
  }
  return responses;
}

function expected(of: (need: Need) => string): Record<string, string> {
  return Object.fromEntries(operations.map((operation) => [nameOf(operation), of(needOf(operation))]));
}

/** Begins a new session, because some operations end sessions. */
async function login({ email, password }: { email: string; password: string }): Promise<string> {
  const { body } = await service.request('POST', '/v1/auth/login', { body: { email, password } });
  return body.accessToken;
}

describe('every operation that takes a credential', () => {
  it('401 unauthorized for every protected operation without a credential', async () => {
    expect(await responsesOf((operation) => tryIt(operation))).toEqual(expected(() => '401 unauthorized'));
  });

  it('401 unauthorized for every protected operation before the body arrives', async () => {
    const agent = new Agent();
    const headers = { 'Content-Type': 'application/json', 'Content-Length': String(2 ** 20) };
    for (const { method, path } of operations) {
      const response = await sendRaw(service.baseUrl, agent, {
        method,
        target: filled(path, { memberId: '1' }),
        headers,
      });
      expect({ path, status: response.status }).toEqual({ path, status: 401 });
    }
    agent.destroy();
  });

  it.each(scopes)(
    'an API key with the scope %s may call all operations that require this scope, and no others',
    async (scope) => {
      const token = await account.apiKey(scope);
      const responses = await responsesOf((operation) => tryIt(operation, token));
      const allowed = (need: Need) => need.caller !== 'user' && need.scope === scope && !need.besides;
      expect(responses).toEqual(expected((need) => (allowed(need) ? 'let in' : '403 forbidden')));
    },
  );

  it('403 forbidden, naming the missing scope, for a key that lacks one of several scopes', async () => {
    for (const operation of operations) {
      const { scope, besides } = needOf(operation);
      if (!scope || !besides) continue;
      for (const lacking of [scope, ...besides]) {
        const token = await account.apiKey(...scopes.filter((each) => each !== lacking));
        expect(await tryIt(operation, token)).toMatchObject({
          status: 403,
          body: { code: 'forbidden', message: `The API key lacks the scope ${lacking}.` },
        });
      }
      const response = await tryIt(operation, await account.apiKey(scope, ...besides));
      expect({ operation: nameOf(operation), status: response.status }).not.toMatchObject({ status: 403 });
    }
  });

  it('an admin may call every operation except those that require an API key', async () => {
    const responses = await responsesOf(async (operation) => tryIt(operation, await login(account)));
    expect(responses).toEqual(expected(({ caller }) => (caller === 'key' ? '403 api_key_required' : 'let in')));
  });

  it('other members of the account may call every operation except those for admins', async () => {
    const email = `${randomUUID()}@example.com`;
    const invite = await account.post('/v1/account/invite', { email });
    const accept = `/v1/account/invites/${invite.body.code}/accept`;
    const password = 'correct horse battery staple';
    await service.request('POST', accept, { body: { name: 'Grace', password } });
    const responses = await responsesOf(async (operation) => tryIt(operation, await login({ email, password })));
    const of = ({ caller, scope }: Need) => {
      if (caller === 'key') return '403 api_key_required';
      return scope === 'account:write' ? '403 forbidden' : 'let in';
    };
    expect(responses).toEqual(expected(of));
  });

  it('401 unauthorized with an expired API key', async () => {
    const token = await account.apiKey(...scopes);
    const [, , id] = token.split('_');
    await service.app
      .get(DataSource)
      .query(`UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    expect(await responsesOf((operation) => tryIt(operation, token))).toEqual(expected(() => '401 unauthorized'));
  });

  it('401 unauthorized immediately for a key that another node revoked, and a session that it ended', async () => {
    const key = await account.post('/v1/auth/keys', { name: 'Shop', scopes });
    const { body } = await service.request('POST', '/v1/auth/login', {
      body: { email: account.email, password: account.password },
    });
    for (const token of [key.body.key, body.accessToken]) {
      expect((await service.request('GET', '/v1/templates', { token })).status).toBe(200);
    }
    await otherNode.request('DELETE', `/v1/auth/keys/${key.body.id}`, { token: account.token });
    await otherNode.request('POST', '/v1/auth/logout', { body: { refreshToken: body.refreshToken } });
    for (const token of [key.body.key, body.accessToken]) {
      expect(await responsesOf((operation) => tryIt(operation, token))).toEqual(expected(() => '401 unauthorized'));
    }
  });
});

describe("another tenant's resources", () => {
  it("every operation treats another tenant's resources as missing and leaves them unchanged", async () => {
    const mine = await thingsOf(account);
    const strange = await stranger.apiKey(...scopes);
    const before = await snapshot(mine);
    for (const operation of operations.filter(({ path }) => /\{/.test(path))) {
      const token = needOf(operation).caller === 'user' ? await login(stranger) : strange;
      const [theirs, missing] = await Promise.all([
        attempt(service, document, { operation, token, things: mine }),
        attempt(service, document, { operation, token, things: missingThings }),
      ]);
      const name = nameOf(operation);
      expect({ name, status: theirs.status }).toEqual({ name, status: missing.status });
      if (theirs.status < 400) continue;
      expect({ name, body: withoutIds(theirs.body, mine) }).toEqual({
        name,
        body: withoutIds(missing.body, missingThings),
      });
    }
    expect(await snapshot(mine)).toEqual(before);
  });
});

/** Reads the resources as their owner. */
async function snapshot({ templateId, passId, memberId, webhookId }: Things): Promise<Json> {
  const token = await account.apiKey(...scopes);
  const paths = [
    ...[`/v1/templates/${templateId}`, `/v1/pass/${templateId}/${passId}`, `/v1/pass/${templateId}`],
    ...[`/v1/memberships/members/${memberId}`, '/v1/memberships/settings', '/v1/account'],
    `/v1/webhooks/${webhookId}`,
  ];
  const responses = await Promise.all(paths.map((path) => service.request('GET', path, { token })));
  return responses.map(({ status, body }) => ({ status, body }));
}

function withoutIds(body: Json, things: Things): Json {
  const ids = [...Object.values(things)].sort((one, other) => other.length - one.length);
  return JSON.parse(
    ids.reduce((text, id) => text.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '…'), JSON.stringify(body)),
  );
}
