import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { version } from '../../src/version.js';
import { Agent, messageOf, post, request } from '../support/mcp-agent.js';
import { RunningService, type Account } from '../support/running-service.js';

const servers = 'https://login.example.com,https://id.example.com/realms/staff';

let service: RunningService;
let announcing: RunningService;
let account: Account;
let apiKey: string;

beforeAll(async () => {
  service = await RunningService.start();
  const settings = { MCP_AUTHORIZATION_SERVERS: servers, BASE_URL: 'https://passes.example.com' };
  announcing = await RunningService.start(settings, service);
  account = await service.register();
  apiKey = await account.apiKey();
});
afterAll(async () => {
  await announcing.stop();
  await service.stop();
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'spec', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, params: object = {}) =>
  post(service, apiKey, request(method, { ...params, _meta: envelope }), {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
  });

describe('both generations of the protocol', () => {
  it.each([
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('a handshake that asks for version %s gets version %s', async (protocolVersion, negotiated) => {
    const clientInfo = { name: 'spec', version: '1' };
    const reply = await post(service, apiKey, request('initialize', { protocolVersion, capabilities: {}, clientInfo }));
    expect([reply.status, reply.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(messageOf(reply)).toMatchObject({
      id: 1,
      result: {
        protocolVersion: negotiated,
        serverInfo: { name: 'passwright', version },
        capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
        instructions: expect.stringContaining('wallet passes'),
      },
    });
  });

  it('any node accepts requests after a handshake with another node, because there are no sessions', async () => {
    const headers = { 'MCP-Protocol-Version': '2025-06-18' };
    const reported = await post(service, apiKey, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
    expect(reported.status).toBe(202);
    const listed = messageOf(await post(announcing, apiKey, request('tools/list'), headers));
    expect(listed).toMatchObject({
      result: { tools: expect.arrayContaining([{ name: 'getAccount' }].map(expect.objectContaining)) },
    });
    expect(messageOf(await post(service, apiKey, request('ping'), headers))).toMatchObject({ result: {} });
  });

  it('requests of the protocol version 2026-07-28 need no handshake', async () => {
    expect(messageOf(await modern('server/discover'))).toMatchObject({
      result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    });
    expect(messageOf(await modern('tools/list'))).toMatchObject({ result: { resultType: 'complete' } });
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe'])(
    'the server has no method %s, which the protocol version 2026-07-28 removed',
    async (method) => {
      const reply = await modern(method);
      expect([reply.status, messageOf(reply)]).toMatchObject([404, { id: 1, error: { code: -32601 } }]);
    },
  );

  it('clients may cache the lists of tools and prompts for ten minutes, but no list of resources', async () => {
    const stored = (method: string) => modern(method).then((reply) => messageOf(reply).result);
    for (const method of ['server/discover', 'tools/list', 'prompts/list', 'resources/templates/list']) {
      expect([method, await stored(method)]).toMatchObject([method, { ttlMs: 600_000, cacheScope: 'private' }]);
    }
    expect(await stored('resources/list')).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it.each([
    ['by itself', undefined, '2025-11-25'],
    ['that probes', { mode: 'auto' } as const, '2026-07-28'],
    ['that is pinned', { mode: { pin: '2026-07-28' } } as const, '2026-07-28'],
  ])('the public client %s lists the same tools', async (_, versionNegotiation, version) => {
    const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation });
    const requestInit = { headers: { Authorization: `Bearer ${apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(await (await Agent.connect(service, account.token)).toolNames());
    await client.close();
  });

  it('a subscription ends immediately, because the server announces no changes', async () => {
    const { status, bytes } = await modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect([status, bytes.toString()]).toEqual([200, expect.stringContaining('"resultType":"complete"')]);
  });
});

describe('invalid calls', () => {
  it.each(['GET', 'DELETE', 'PUT'])(
    '405 method_not_allowed for %s, because MCP here has no sessions and no stream',
    async (method) => {
      const { status, body, headers } = await service.request(method, '/mcp', { token: apiKey });
      expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'POST']);
    },
  );

  it.each([
    ['malformed_json', 400, '{"jsonrpc":'],
    ['malformed_json', 400, '"x"'],
    ['validation_failed', 400, [request('tools/list'), request('tools/list')]],
    ['validation_failed', 400, '{"jsonrpc":"2.0","id":1,"method":"a\\u0000"}'],
    ['payload_too_large', 413, request('tools/call', { name: 'getPass', arguments: { passId: 'x'.repeat(2 ** 20) } })],
  ])("an invalid call gets %s with the API's error body", async (code, status, body) => {
    const reply = await post(service, apiKey, body);
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  });

  it.each([
    [{}, 400, -32600],
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    [request('tools/fly'), 200, -32601],
    [request('initialize'), 200, -32602],
    [request('initialize', { protocolVersion: 5, capabilities: {}, clientInfo: {} }), 200, -32602],
    [request('tools/call', {}), 200, -32602],
    [request('tools/call', { name: 'constructor' }), 200, -32602],
    [request('tools/call', { name: 'getAccount', arguments: [] }), 200, -32602],
    [request('completion/complete'), 200, -32602],
    [request('completion/complete', { ref: { type: 'ref/prompt', name: 'diagnose_pass' } }), 200, -32602],
    [request('prompts/get', { name: 'design_template', arguments: { purpose: 5 } }), 200, -32602],
    [request('prompts/list', { cursor: 5 }), 200, -32602],
    [request('resources/list', { cursor: 5 }), 200, -32602],
    [request('resources/read'), 200, -32602],
    [request('resources/subscribe', { uri: 'passwright://templates/offer' }), 200, -32601],
  ])('%j gets a JSON-RPC error', async (body, status, code) => {
    const reply = await post(service, apiKey, body);
    expect([reply.status, messageOf(reply)]).toEqual([status, expect.objectContaining({ jsonrpc: '2.0' })]);
    expect(messageOf(reply)).toMatchObject({ error: { code, message: expect.stringMatching(/^[^\n]+$/) } });
  });

  it.each([
    ['name must be a text', {}],
    ['arguments must be an object', { name: 'getAccount', arguments: [] }],
    ['arguments must be an object', { name: 'getAccount', arguments: 'x' }],
  ])('the error -32602 says in one line that %s', async (rule, params) => {
    const message = `Invalid params for tools/call: ${rule}`;
    for (const reply of [
      await post(service, apiKey, request('tools/call', params)),
      await modern('tools/call', params),
    ])
      expect(messageOf(reply)).toMatchObject({ id: 1, error: { code: -32602, message } });
  });

  it('415 for another media type, 400 for an unknown protocol version', async () => {
    const text = await post(service, apiKey, '{}', { 'Content-Type': 'text/plain' });
    expect(text.status).toBe(415);
    const version = await post(service, apiKey, request('tools/list'), { 'MCP-Protocol-Version': '1999-01-01' });
    expect([version.status, version.body.jsonrpc]).toEqual([400, '2.0']);
  });
});

describe('access to MCP', () => {
  it('MCP rejects callers without a credential, or with a wrong or revoked one', async () => {
    const { body } = await account.post('/v1/auth/keys', { name: 'Short' });
    await account.delete(`/v1/auth/keys/${body.id}`);
    for (const token of [undefined, 'x', body.key as string]) {
      const { status, body: error, headers } = await post(service, token, request('tools/list'));
      expect([status, error.code, headers.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer']);
    }
  });

  async function from(headers: Record<string, string>, node = service) {
    const sent = httpRequest(new URL('/mcp', node.baseUrl), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${apiKey}`,
        ...headers,
      },
    });
    sent.end(JSON.stringify(request('ping')));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode === 200) response.resume();
    return response.statusCode === 200 ? '200' : ((await json(response)) as { code: string }).code;
  }

  it('MCP accepts only requests with the host of BASE_URL or of this machine', async () => {
    expect(await from({ Host: 'passes.example.com' }, announcing)).toBe('200');
    expect(await from({ Host: 'localhost:1' })).toBe('200');
    for (const Host of ['evil.example', 'passes.example.com.evil.example', 'localhost.evil.example', '0x7f.1.evil']) {
      expect([Host, await from({ Host }, announcing)]).toEqual([Host, 'forbidden']);
    }
  });

  it('MCP rejects requests from pages of another origin', async () => {
    expect(await from({ Origin: 'https://passes.example.com' }, announcing)).toBe('200');
    expect(await from({ Origin: 'http://localhost:5173' })).toBe('200');
    for (const Origin of ['https://evil.example', 'null', 'https://passes.example.com.evil.example', '']) {
      expect([Origin, await from({ Origin }, announcing)]).toEqual([Origin, 'forbidden']);
    }
  });
});

describe('configured authorization servers', () => {
  const wellKnown = '/.well-known/oauth-protected-resource';

  it('the service announces the authorization servers for itself and for /mcp', async () => {
    for (const path of ['', '/mcp']) {
      const { status, body } = await announcing.request('GET', wellKnown + path);
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({
          resource: `https://passes.example.com${path}`,
          authorization_servers: servers.split(','),
          scopes_supported: expect.arrayContaining(['passes:read']),
          bearer_methods_supported: ['header'],
        }),
      ]);
    }
  });

  it('a 401 of MCP contains the address at which the authorization servers are announced', async () => {
    const metadata = `resource_metadata="https://passes.example.com${wellKnown}/mcp"`;
    const { status, body, headers } = await post(announcing, undefined, request('ping'));
    expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'unauthorized', `Bearer ${metadata}`]);
    // Only a 401 of MCP contains the address.
    const elsewhere = await announcing.request('GET', '/v1/account');
    expect(elsewhere.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('404 route_not_found without authorization servers', async () => {
    for (const path of ['', '/mcp']) {
      const { status, body } = await service.request('GET', wellKnown + path);
      expect([status, body.code]).toEqual([404, 'route_not_found']);
    }
  });
});
