import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { loadConfig } from '../../src/config/config.js';
import { DatabaseFailed } from '../../src/prepare-database.js';
import { startService, type Service } from '../../src/start-service.js';
import { docUrlOf } from '../support/expect-error.js';
import { masterKeys } from '../support/running-service.js';

/** The id of the lock for migrations, from libs/platform/database/src/migrate.ts. */
const MIGRATION_LOCK = 0x70617373;

let dataDir: string;
let url: string;
let port: number;
let databasePort: number;
let way: Server | null = null;
let service: Service | null = null;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright waiting '));
  ({ url } = await testDatabase());
  [port, databasePort] = [await freePort(), await freePort()];
});
afterEach(async () => {
  await service?.stop('the test is over');
  service = null;
  way?.close();
  way = null;
  rmSync(dataDir, { recursive: true });
});

/** Forwards connections from `databasePort` to the database. */
async function openWay(): Promise<void> {
  const target = new URL(url);
  way = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
  }).listen(databasePort, '127.0.0.1');
  await once(way, 'listening');
}

const start = (databaseUrl: string, environment: Record<string, string> = {}) =>
  startService(
    loadConfig({
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      LOG_LEVEL: 'silent',
      MASTER_KEYS: masterKeys,
      ...environment,
    }),
  );

const away = () => Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(databasePort) }).href;

/** Repeats the request until a server responds. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => null);
    if (response) return response;
    await pause(20);
  }
}

/** Expects that the service is alive, and that it returns 503 for everything else. */
async function expectWaiting(): Promise<void> {
  expect((await get('/health/live')).status).toBe(200);
  for (const path of ['/health/ready', '/v1/templates', '/']) {
    const response = await get(path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ statusCode: 503, code: 'not_ready', docUrl: docUrlOf('not_ready') });
  }
  const page = await get('/', { Accept: 'text/html' });
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain(page.headers.get('x-request-id'));
}

it('503 not_ready for everything but liveness while the service waits for its database', async () => {
  const starting = start(away());
  await expectWaiting();
  await openWay();
  service = await starting;
  expect((await get('/health/ready')).status).toBe(200);
});

it('holders get an error page in their language while the service waits', async () => {
  const starting = start(away(), { BASE_URL: 'https://passes.example.com/wallet' });
  const browser = { Accept: 'text/html' };
  const holders = await get('/p/acc_1/offer/ada?lang=de', browser);
  expect([holders.status, holders.headers.get('content-language')]).toEqual([503, 'de']);
  const text = await holders.text();
  expect(text).toContain('<html lang="de"');
  expect(text).toContain(holders.headers.get('x-request-id'));
  const page = await get('/', browser);
  expect(await page.text()).toContain('href="/wallet/favicon.svg"');
  for (const { headers } of [holders, page, await get('/v1/templates'), await get('/health/live')]) {
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  }
  await openWay();
  service = await starting;
});

it('the service is alive but not ready while it waits for another node that migrates', async () => {
  const other = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  const starting = start(url);
  await expectWaiting();
  await other.destroy();
  service = await starting;
  expect((await get('/health/ready')).status).toBe(200);
});

it('the service exits with the reason when the database does not exist or the port is taken', async () => {
  const missing = Object.assign(new URL(url), { pathname: '/there_is_no_such_database' }).href;
  await expect(start(missing)).rejects.toThrow(DatabaseFailed);
  await openWay();
  port = databasePort;
  await expect(start(Object.assign(new URL(url), { port: '1' }).href)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use`,
  );
});

it.each(['{"ACCESS_TOKEN_SECRET": "abc', '', '\0\0\0', 'null', '[1]'])(
  'the service names a damaged secrets file, and says what to do: %j',
  (content) => {
    writeFileSync(join(dataDir, 'secrets.json'), content);
    expect(() => loadConfig({ DATA_DIR: dataDir })).toThrow(/secrets\.json is damaged.*Restore it from a backup/);
  },
);

it('the service names an unreadable secrets file, and says what to do', () => {
  mkdirSync(join(dataDir, 'secrets.json'));
  expect(() => loadConfig({ DATA_DIR: dataDir })).toThrow(/secrets\.json cannot be read \(EISDIR\).*Restore it/);
});

it('a stopping service still accepts requests but is not ready, so that load balancers notice the stop', async () => {
  service = await start(url, { SHUTDOWN_DELAY_SECONDS: '1' });
  const stopped = service.stop('SIGTERM');
  service = null;
  expect((await get('/health/ready')).status).toBe(503);
  expect((await get('/health/live')).status).toBe(200);
  await stopped;
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
});
