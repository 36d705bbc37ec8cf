import { counted } from '@passwright/core';
import { Database } from '@passwright/database';
import { JobDiscoveryService } from '@passwright/jobs/testing';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { masterKeys, RunningService, type Account, type ApiResponse } from '../support/running-service.js';

const docs = join(__dirname, '../../../../docs');
const token = randomBytes(24).toString('base64');
const production = {
  NODE_ENV: 'production',
  ACCESS_TOKEN_SECRET: randomBytes(32).toString('base64'),
  PASS_TOKEN_SECRET: randomBytes(32).toString('base64'),
  MASTER_KEYS: masterKeys,
};
let service: RunningService;
let account: Account;
beforeAll(async () => {
  service = await RunningService.start();
  account = await service.register();
});
afterAll(() => service.stop());

const scrape = (node = service, shown?: string): Promise<ApiResponse> =>
  node.request('GET', '/metrics', { token: shown });
const textOf = async (node = service) => (await scrape(node)).bytes.toString();

/** Returns the value of one series; 0 if it does not exist. */
function valueOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line ? Number(line.slice(series.length + 1)) : 0;
}

describe('a scrape', () => {
  it('a scrape is valid Prometheus text: each sample has a type and a number', async () => {
    const { status, headers, bytes } = await scrape();
    expect([status, headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain;.*version=0\.0\.4/),
    ]);
    const types = new Map<string, string>();
    for (const line of bytes.toString().trimEnd().split('\n')) {
      const [, name, type] = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
      if (name && type) types.set(name, type);
      if (line.startsWith('#') || line === '') continue;
      const sample = /^([a-zA-Z_:][\w:]*)(\{\w+="(?:[^"\\]|\\.)*"(,\w+="(?:[^"\\]|\\.)*")*\})? (\S+)$/.exec(line);
      expect({ line, sample: sample !== null }).toEqual({ line, sample: true });
      expect(Number.isNaN(Number(sample![4])) && sample![4] !== 'Nan').toBe(false);
      const family = sample![1]!.replace(/_(bucket|sum|count)$/, '');
      expect({ line, known: types.has(sample![1]!) || types.has(family) }).toEqual({ line, known: true });
    }
    expect(types.get('http_request_duration_seconds')).toBe('histogram');
    expect(types.get('nodejs_eventloop_lag_seconds')).toBe('gauge');
  });

  it('a scrape has every metric that the documents mention', async () => {
    const text = await textOf();
    const missing = readdirSync(docs, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [...readFileSync(join(docs, name), 'utf8').matchAll(/\b(?:passwright|http)_[a-z]+_?[a-z_]*(?=[`{) ])/g)]
          .map(([metric]) => metric.replace(/_(bucket|sum|count)$/, ''))
          .filter((metric) => !text.includes(`# TYPE ${metric} `))
          .map((metric) => `${name}: ${metric}`),
      );
    expect(missing).toEqual([]);
  });

  it.each(['alerts.yaml', 'dashboard.json'])(
    'a scrape has every metric of %s, with the labels that the file uses',
    async (name) => {
      await account.issue('offer');
      const text = await textOf();
      const file = readFileSync(join(docs, 'monitoring', name), 'utf8').replaceAll('\\"', '"');
      const used = [...file.matchAll(/\b((?:passwright|http|nodejs|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)];
      expect(used.length).toBeGreaterThan(10);
      for (const [, metric = '', selector = ''] of used) {
        const labels = [...selector.matchAll(/(\w+)=/g)].map(([, label]) => label).filter((label) => label !== 'job');
        const samples = text
          .split('\n')
          .filter((line) => line.startsWith('#') || labels.every((label) => line.includes(`${label}="`)));
        const family = metric.replace(/_(bucket|sum|count)$/, '');
        const isThere =
          samples.some((line) => /^[{ ]/.test(line.slice(metric.length)) && line.startsWith(metric)) ||
          samples.includes(`# TYPE ${family} counter`);
        expect({ metric, labels, isThere }).toEqual({ metric, labels, isThere: true });
      }
    },
  );

  it('a scrape names routes by their pattern, and does not contain ids or serial numbers', async () => {
    const { body } = await account.issue('offer');
    const { id } = body.pass;
    const url = new URL(body.walletAUrl);
    await service.request('GET', url.pathname);
    await service.request('GET', `/v1/passes/pass.com.example/${id}`);
    await service.request('GET', `/nowhere/${id}`);
    const text = await textOf();
    expect(text).toContain('route="/v1/pass/:templateId"');
    expect(text).toMatch(/route="\/v1\/pass\/:accountId\/:templateId\/:passId\/walletA",status="2xx"/);
    expect(text).toMatch(/route="none",status="4xx"/);
    for (const secret of [id, account.id, account.email, account.token]) expect(text).not.toContain(secret);
  });

  it('a scrape lists tasks with 0 failed jobs, because Prometheus sees no increase in a new series', async () => {
    const { tasks } = service.app.get(JobDiscoveryService, { strict: false }).find();
    const text = await textOf();
    expect(tasks.size).toBeGreaterThan(40);
    const missing = [...tasks.keys()].filter(
      (task) => !text.includes(`\npasswright_failed_jobs_total{task="${task}"} 0\n`),
    );
    expect(missing).toEqual([]);
  });

  it('a scrape counts each request and each push', async () => {
    const series = 'http_request_duration_seconds_count{method="GET",route="/v1/templates",status="2xx"}';
    const pushes = 'passwright_apple_pushes_total{outcome="accepted"}';
    const before = await textOf();
    for (let count = 0; count < 3; count++) await account.get('/v1/templates');
    counted('apple_pushes', { outcome: 'accepted' });
    const after = await textOf();
    expect(valueOf(after, series) - valueOf(before, series)).toBe(3);
    expect(valueOf(after, pushes) - valueOf(before, pushes)).toBe(1);
    expect(valueOf(after, 'http_requests_in_flight')).toBeGreaterThanOrEqual(1);
  });

  it('a scrape counts jobs, certificates and connections, but does not name them', async () => {
    const days = [-1, 3, 20, 45, 300];
    const before = await textOf();
    for (const each of days) {
      const { id } = await service.register();
      await service.app.get(Database).transaction((tx) =>
        tx.query(
          `INSERT INTO apple_certificate (account_id, certificate_pem, intermediate_pem, private_key, pass_type_identifier,
             team_identifier, organization_name, fingerprint, expires_at, development, uploaded_at)
           VALUES ($1, '', '', '', 'pass.secret', '', '', $1, now() + make_interval(days => $2), false, now())`,
          [id, each],
        ),
      );
    }
    const after = await textOf();
    await service.app
      .get(Database)
      .transaction((tx) => tx.query(`DELETE FROM apple_certificate WHERE pass_type_identifier = 'pass.secret'`));
    for (const expires of ['expired', 'within_7_days', 'within_30_days', 'within_60_days', 'later']) {
      const series = `passwright_account_apple_certificates{expires="${expires}"}`;
      expect({ expires, more: valueOf(after, series) - valueOf(before, series) }).toEqual({ expires, more: 1 });
    }
    for (const state of ['ready', 'later', 'locked', 'failed', 'set_aside'])
      expect(after).toContain(`passwright_jobs{state="${state}"}`);
    expect(valueOf(after, 'passwright_database_connections{state="used"}')).toBeGreaterThanOrEqual(0);
    const operator = 'passwright_apple_certificate_expires_seconds{owner="operator",development="true"}';
    expect(valueOf(after, operator)).toBeGreaterThan(0);
    expect(valueOf(after, 'passwright_state_up')).toBe(1);
    expect(after).not.toContain('pass.secret');
  });

  it('a scrape shows that the database is down, and omits the metrics that come from the database', async () => {
    const spy = jest.spyOn(service.app.get(Database), 'transaction').mockRejectedValue(new Error('gone'));
    const text = await textOf();
    spy.mockRestore();
    expect(text).toContain('passwright_state_up 0');
    expect(text).not.toMatch(/^passwright_(jobs|account_apple_certificates|apple_devices_due|apple_open_circuits)/m);
    expect(text).toContain('http_requests_in_flight');
    expect(await textOf()).toContain('passwright_state_up 1');
  });
});

describe('metrics in production', () => {
  it('401 unauthorized, naming the variable to set, while no metrics token is set', async () => {
    const node = await RunningService.start(production);
    for (const shown of [undefined, 'x']) {
      const { status, body } = await scrape(node, shown);
      expect([status, body.code, body.message]).toEqual([
        401,
        'unauthorized',
        expect.stringContaining('METRICS_TOKEN'),
      ]);
    }
    await node.stop();
  });

  it('401 unauthorized for a scrape without the metrics token or with a wrong one; 200 with the token', async () => {
    const node = await RunningService.start({ ...production, METRICS_TOKEN: token });
    for (const shown of [undefined, 'x', `${token}x`, account.token]) {
      const { status, body, headers } = await scrape(node, shown);
      expect([status, body.code, headers.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer']);
    }
    expect((await scrape(node, token)).status).toBe(200);
    await node.stop();
  });

  it('401 unauthorized for a scrape in development too, if a metrics token is set', async () => {
    const node = await RunningService.start({ METRICS_TOKEN: token }, service);
    expect((await scrape(node)).status).toBe(401);
    expect((await scrape(node, token)).status).toBe(200);
    await node.stop();
  });
});
