import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repeatWhileBusy, testDatabase } from '@passwright/testing';
import { AppleWalletWorld, type Held, points, shown, showsPoints } from '../support/apple-wallet-world.js';
import { OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import type { Account } from '../support/running-service.js';
import { ServiceProcess } from '../support/service-process.js';

let dir: string;
let world: AppleWalletWorld;
let account: Account;
let held: Held;
let service: ServiceProcess;
let receiver: OtlpReceiver;
/** The middleware of a service without tracing. */
let middleware: string[];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'passwright traces '));
  world = await AppleWalletWorld.withoutNodes();
  const node = await world.addNode({ DATA_DIR: dir });
  account = await world.newAccount();
  held = await world.hold(
    account,
    'offer',
    {},
    world.phone(() => service?.baseUrl ?? node.baseUrl),
  );
  const { router } = node.app.getHttpAdapter().getInstance() as { router: { stack: { name: string }[] } };
  middleware = router.stack.map(({ name }) => name);
  await world.stopNode();
}, 60_000);
afterAll(async () => {
  await world.stop();
  rmSync(dir, { recursive: true });
});
afterEach(async () => {
  // A killed service would keep its phones locked for pushes for a while, so end it by SIGTERM.
  service.signal('SIGTERM');
  await service.ended();
  receiver.stop();
});

async function start(environment: Record<string, string>): Promise<void> {
  const { url } = await testDatabase();
  service = await ServiceProcess.start({ ...world.environment, DATA_DIR: dir, DATABASE_URL: url, ...environment });
}

const traced = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
});

/** Changes the points of the pass, and returns the response. */
async function patch(value: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await sendPatch(value, headers);
  expect(response.status).toBe(200);
  return response;
}

function sendPatch(value: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(service.baseUrl + held.path, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(points(value)),
  });
}

const named = (name: string) => (span: ReceivedSpan) => span.name === name;
const all =
  (...names: string[]) =>
  (spans: readonly ReceivedSpan[]) =>
    names.every((name) => spans.some(named(name)));
const PATCH = 'PATCH /v1/pass/:templateId/:passId';
const FETCH = 'GET /v1/passes/:passTypeIdentifier/:serialNumber';

describe('tracing with a receiver', () => {
  const callerTrace = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const traceparent = `00-${callerTrace.traceId}-${callerTrace.spanId}-01`;

  beforeEach(async () => {
    receiver = await OtlpReceiver.start();
    await start({ ...traced(), WEBHOOK_HOSTS_ALLOWED: new URL(receiver.url).host });
  });

  it("one trace shows the caller's PATCH, its jobs and the push", async () => {
    await patch('1', { traceparent });
    await showsPoints(held, '1');
    await receiver.hasSpans(all('process apple-push.due', 'process passes.changed', PATCH, FETCH));

    const trace = receiver.traceOf(callerTrace);
    const parentOf = (child?: ReceivedSpan) => trace.find(({ spanId }) => spanId === child?.parentSpanId);
    const path: (ReceivedSpan | undefined)[] = [trace.find(named('push'))];
    while (path.at(-1)) path.push(parentOf(path.at(-1)));
    expect(path.map((span) => span?.name)).toEqual([
      'push',
      'process apple-push.due',
      'transaction',
      'process passes.changed',
      'transaction',
      PATCH,
      undefined,
    ]);
    const [push, , , job, change, request] = path;
    expect(request).toMatchObject({
      kind: 2,
      parentSpanId: callerTrace.spanId,
      attributes: {
        'http.request.method': 'PATCH',
        'http.route': '/v1/pass/:templateId/:passId',
        'http.response.status_code': 200,
        'passwright.account': account.id,
      },
    });
    expect(job?.attributes).toMatchObject({
      'messaging.destination.name': 'passes.changed',
      'passwright.job.attempt': 1,
    });
    expect(push?.attributes).toEqual({
      'server.address': new URL(world.apns.url).hostname,
      'passwright.pushes': 1,
      'passwright.pushes_accepted': 1,
    });
    const fetched = receiver.spans.find(named(FETCH));
    expect(fetched?.attributes['passwright.pass']).toBe(change?.attributes['passwright.pass']);
    expect(fetched?.attributes['passwright.pass']).toMatch(/^[0-9a-f]{16}$/);
  });

  it('the service does not continue the trace that a phone or a stranger sends', async () => {
    await fetch(`${service.baseUrl}/v1/pass/${account.id}/offer/${held.id}/walletA`, { headers: { traceparent } });
    await fetch(`${service.baseUrl}/health/ready`, { headers: { traceparent } });
    await patch('2');
    await receiver.hasSpans(all(PATCH));
    expect(receiver.spans.map(({ name }) => name)).toContain('GET /v1/pass/:accountId/:templateId/:passId/walletA');
    expect(receiver.traceOf(callerTrace)).toEqual([]);
    expect(receiver.spans.filter(({ name }) => name.includes('health'))).toEqual([]);
  });

  it('a delivery to a webhook has a span with only the host, and no header with the trace', async () => {
    const response = await fetch(`${service.baseUrl}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.url}/hooks/SECRET-PATH`, types: null }),
    });
    expect(response.status).toBe(201);
    await patch('hooked');
    await receiver.hasSpans(all('POST', 'process webhooks.send'));
    const { headers } = receiver.requests.find(({ url }) => url === '/hooks/SECRET-PATH') ?? {};
    expect(headers).toHaveProperty('webhook-id');
    expect(Object.keys(headers ?? {}).filter((name) => /trace|baggage/.test(name))).toEqual([]);
    const delivery = receiver.spans.find(named('POST'));
    expect(delivery?.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    });
    const job = receiver.spans.find(({ spanId }) => spanId === delivery?.parentSpanId);
    expect(job?.name).toBe('process webhooks.send');
  });

  it('the sent traces contain no token, key or e-mail address, and no id of a pass or a phone', async () => {
    const apiKey = 'pw_live_0123456789abcdefghijklmnopqrstuvwxyzABCDEF';
    await patch('3');
    await showsPoints(held, '3');
    const unusual: [string, RequestInit][] = [
      [`/v1/pass/offer?code=SECRET-QUERY`, { headers: { Authorization: `Bearer ${apiKey}` } }],
      ['/no/SECRET-PATH', { headers: { traceparent, tracestate: 'x=y', baggage: 'user=SECRET-BAGGAGE' } }],
      [
        `${held.path}?x=%FF`,
        {
          headers: {
            Authorization: `Bearer ${account.token}`,
            traceparent,
            tracestate: 'x=SECRET-STATE',
            baggage: 'user=SECRET-BAGGAGE',
          },
        },
      ],
      [
        '/v1/auth/login',
        {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ email: account.email, password: account.password }),
        },
      ],
    ];
    const responses = await Promise.all(unusual.map(([path, init]) => fetch(service.baseUrl + path, init)));
    expect(responses.map(({ status }) => status)).toEqual([401, 404, 400, 200]);
    const { refreshToken } = (await responses.at(-1)?.json()) as { refreshToken: string };
    await receiver.hasSpans(all('POST /v1/auth/login', FETCH));

    const { authenticationToken } = shown(held);
    const [pushToken] = held.phone.tokens.values();
    const secrets = { apiKey, token: account.token, refreshToken, authenticationToken, pushToken, serial: held.serial };
    const personal = { passId: held.id, email: account.email, password: account.password };
    const traces = receiver.requests.filter(({ url }) => url === '/v1/traces');
    const sent = traces.map(({ body }) => body.toString()).join('\n');
    const leaked = Object.entries({ ...secrets, ...personal, marked: 'SECRET-' }).filter(([, text]) =>
      sent.includes(text as string),
    );
    expect(leaked.map(([name]) => name)).toEqual([]);
    expect(sent).toContain(account.id);
  });
});

describe('tracing that is off', () => {
  const loaded = () => ({
    NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, '../support/loaded-modules.cjs'))}`,
    LOADED_MODULES: join(dir, 'loaded'),
  });
  const loadedPackages = async () => {
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(0);
    const files = readFileSync(join(dir, 'loaded'), 'utf8').split('\n');
    const names = files.flatMap((file) => /.*node_modules\/@opentelemetry\/([^/]+)/.exec(file)?.[1] ?? []);
    return [...new Set(names)].sort();
  };

  beforeEach(async () => void (receiver = await OtlpReceiver.start()));

  it.each([
    ['without variables', () => ({})],
    ['with OTEL_SDK_DISABLED', () => ({ ...traced(), OTEL_SDK_DISABLED: 'true' })],
  ])('a service %s adds no middleware, loads no SDK and sends nothing', async (_, environment) => {
    expect(middleware).toContain('rememberOrigin');
    expect(middleware.filter((name) => /trace/i.test(name))).toEqual([]);
    await start({ ...loaded(), ...environment() });
    const response = await patch('4', { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
    await showsPoints(held, '4');
    expect([...response.headers.keys()].filter((name) => name.startsWith('trace'))).toEqual([]);
    expect(await loadedPackages()).toEqual(['api']);
    expect(receiver.requests).toEqual([]);
  });

  it('a service loads the SDK when tracing is on, and sends protobuf by default', async () => {
    await start({ ...loaded(), OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: 'wallet-staging' });
    await patch('5');
    expect(await loadedPackages()).toContain('sdk-trace');
    const [request] = receiver.requests;
    expect([request?.url, request?.headers['content-type']]).toEqual(['/v1/traces', 'application/x-protobuf']);
    expect(request?.body.toString()).toContain('wallet-staging');
    expect(request?.body.toString()).toContain(PATCH);
  });
});

describe('a receiver of traces that fails', () => {
  it.each(['hang', 'reject'] as const)(
    'a receiver of traces that would %s delays neither requests nor the stop',
    async (manner) => {
      receiver = await OtlpReceiver.start(manner);
      // Waiting for this receiver once would exceed the time limit of the test.
      const patient = { OTEL_EXPORTER_OTLP_TIMEOUT: '600000', OTEL_BSP_EXPORT_TIMEOUT: '600000' };
      const small = { OTEL_BSP_MAX_QUEUE_SIZE: '20', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10' };
      await start({ ...traced(), ...patient, ...small });
      await patch('6');
      // A busy machine may reject some of these requests, because they change one pass and wait for each other. A
      // request that waited for the receiver would get no response.
      const lane = async (first: number) => {
        for (let n = first; n < first + 10; n++)
          expect((await repeatWhileBusy(() => sendPatch(String(n)))).status).toBe(200);
      };
      await Promise.all(Array.from({ length: 10 }, (_, n) => lane(n * 10)));
      expect(receiver.requests.length).toBeGreaterThan(0);
      service.signal('SIGTERM');
      expect(await service.ended()).toBe(0);
    },
    120_000,
  );
});
