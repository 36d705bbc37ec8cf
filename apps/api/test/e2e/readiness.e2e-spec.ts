import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Database, DatabaseClock } from '@passwright/database';
import { migratedDatabase, type TestDatabase } from '@passwright/testing';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
import { ProbePace } from '../../src/health/probe.js';
import { version } from '../../src/version.js';
import { RunningService, templateBody, type Account, type ApiResponse } from '../support/running-service.js';

const secret = () => randomBytes(32).toString('base64');
const secrets = { ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret(), MASTER_KEYS: `1:${secret()}` };
const unready = { status: 503, body: { code: 'not_ready' } };
const withoutStorage = { status: 503, body: { code: 'storage_unavailable' } };

let database: TestDatabase;
let admin: DataSource;
let service: RunningService;
let account: Account;
let links: Record<string, string>;
let icon: string;
beforeAll(async () => {
  database = await migratedDatabase();
  admin = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
  service = await RunningService.start({ DATABASE_URL: database.url, ...secrets });
  service.app.get(ProbePace).everyMs = 0;
  account = await service.register();
  const picture = await sharp({ create: { width: 90, height: 90, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
  icon = (await upload(picture)).body.icon;
  await account.saveTemplate('offer', 'offer', { icon });
  links = (await account.post('/v1/pass/offer', {})).body;
});
afterAll(async () => {
  await service.stop();
  await admin.destroy();
  await database.drop();
});

function upload(picture: Buffer): Promise<ApiResponse> {
  const form = new FormData();
  form.set('icon', new File([Uint8Array.from(picture)], 'icon.png', { type: 'image/png' }));
  return service.request('POST', '/v1/templates/offer/images', { token: account.token, body: form });
}

const ready = () => service.request('GET', '/health/ready');

/** Repeats the request until this status is returned. */
async function becomes(status: number): Promise<ApiResponse> {
  for (;;) {
    const response = await ready();
    if (response.status === status) return response;
    await pause(50);
  }
}

/** Changes a setting for new connections, and ends all other connections, so that the service opens new ones. */
async function set(setting: string): Promise<void> {
  await admin.query(
    `BEGIN; SET TRANSACTION READ WRITE; ALTER DATABASE ${new URL(database.url).pathname.slice(1)} ${setting}; COMMIT`,
  );
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
}

describe('a read-only database', () => {
  beforeAll(() => set('SET default_transaction_read_only = on'));
  afterAll(async () => {
    await set('RESET default_transaction_read_only');
    expect((await becomes(200)).body).toEqual({ status: 'ok', version });
  });

  it('503 not_ready with the reason at /health/ready while the database is read-only', async () => {
    const { headers, body } = await becomes(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(body).toMatchObject({ code: 'not_ready', message: 'The database is read-only; see the logs.' });
  });

  it('503 not_ready with Retry-After for writes while the database is read-only', async () => {
    for (const response of [
      await account.post('/v1/pass/offer', {}),
      await account.post('/v1/pass/offer', {}, { 'Idempotency-Key': 'a' }),
      await account.saveTemplate('offer', 'other'),
      await account.post('/v1/auth/keys', { name: 'Web shop' }),
    ]) {
      expect(response).toMatchObject(unready);
      expect(response.headers.get('retry-after')).toBe('1');
    }
  });

  it('requests that only read succeed while the database is read-only', async () => {
    for (const path of ['/v1/templates/offer', '/v1/templates', '/v1/pass/offer', '/v1/account', '/v1/account/usage']) {
      expect({ path, status: (await account.get(path)).status }).toEqual({ path, status: 200 });
    }
    for (const path of [links.walletAUrl!, links.webUrl!, icon]) {
      expect({ path, status: (await service.request('GET', path)).status }).toEqual({ path, status: 200 });
    }
  });
});

it('503 not_ready while the database cannot write files; afterwards the node recovers by itself', async () => {
  await set('SET temp_file_limit = 0');
  expect((await becomes(503)).body.message).toBe('The database cannot write to its disk; see the logs.');
  await set('RESET temp_file_limit');
  await becomes(200);
});

it("503 not_ready while the node's clock is wrong by more than five seconds", async () => {
  await becomes(200);
  const { now } = Date;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  expect(await ready()).toMatchObject({
    ...unready,
    body: { message: expect.stringMatching(/clock .* (59|60|61) s off/) },
  });
  clock.mockRestore();
  expect((await ready()).status).toBe(200);
});

it("503 not_ready after the database's clock has jumped; passes work again afterwards", async () => {
  await becomes(200);
  const { pass } = (await account.post('/v1/pass/offer', {})).body;
  const rename = () => account.patch(`/v1/pass/offer/${pass.id}`, { metadata: { at: randomBytes(4).toString('hex') } });
  const own = service.app.get(Database);
  const now = own.now.bind(own);
  for (const jumpMs of [400 * 86_400_000, -400 * 86_400_000]) {
    const jumped = jest.spyOn(own, 'now').mockImplementation(async () => (await now()) + jumpMs);
    await service.app.get(DatabaseClock).measure();
    // Repeat the request, because the clock measures the time only every two seconds.
    expect(await becomes(503)).toMatchObject({
      ...unready,
      body: { message: expect.stringContaining("off the database's") },
    });
    jumped.mockRestore();
    await service.app.get(DatabaseClock).measure();
    await becomes(200);
    expect(await rename()).toMatchObject({ status: 200 });
  }
});

describe('a storage that cannot be used', () => {
  const storage = () => join(service.dataDir, 'storage');
  beforeAll(() => {
    renameSync(storage(), `${storage()} away`);
    writeFileSync(storage(), '');
  });
  afterAll(async () => {
    rmSync(storage());
    renameSync(`${storage()} away`, storage());
    await becomes(200);
  });

  it('503 not_ready with the reason at /health/ready while the storage is unusable', async () => {
    expect((await becomes(503)).body.message).toBe('The storage of images cannot be used; see the logs.');
  });

  it('503 storage_unavailable with Retry-After for uploads and for templates with new images while the storage is unusable', async () => {
    const picture = await sharp({ create: { width: 99, height: 99, channels: 3, background: '#00a' } })
      .png()
      .toBuffer();
    for (const response of [await upload(picture), await account.saveTemplate('event')]) {
      expect(response).toMatchObject(withoutStorage);
      expect(response.headers.get('retry-after')).toBe('1');
    }
  });

  it('passes can be issued and web views can be read while images cannot be stored', async () => {
    expect(await account.post('/v1/pass/offer', {})).toMatchObject({ status: 201 });
    expect(await service.request('GET', links.webUrl!)).toMatchObject({ status: 200 });
  });
});

(process.platform === 'linux' ? it : it.skip)(
  '503 storage_unavailable for an image that the service cannot read from the disk',
  async () => {
    const file = join(service.dataDir, 'storage', new URL(icon).pathname);
    renameSync(file, `${file}.away`);
    // Reading the first bytes of this folder causes an input/output error.
    symlinkSync('/proc/self/mem', file);
    const response = await service.request('GET', icon);
    renameSync(`${file}.away`, file);
    expect(response).toMatchObject({
      status: 503,
      body: { code: 'storage_unavailable', message: expect.not.stringContaining('EIO') },
    });
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await service.request('GET', icon)).toMatchObject({ status: 200 });
  },
);

describe('a node with other master keys', () => {
  let wrong: RunningService;
  afterEach(() => wrong.stop());

  it.each(['1', '2'])(
    '503 not_ready for readiness and for a sign-in on a node with another master key: %s',
    async (id) => {
      wrong = await RunningService.start({ DATABASE_URL: database.url, ...secrets, MASTER_KEYS: `${id}:${secret()}` });
      const { email, password } = account;
      const responses = [
        await wrong.request('GET', '/health/ready'),
        await wrong.request('POST', '/v1/auth/login', { body: { email, password } }),
      ];
      for (const response of responses) expect(response).toMatchObject(unready);
      expect(responses.map(({ body }) => body.message)).toEqual([
        'The personal data of users cannot be read; see the logs.',
        'This node cannot read personal data just now. Try again; the log of the node says why.',
      ]);
      await becomes(200);
    },
  );
});

describe("a node without the other nodes' images", () => {
  let alone: RunningService;
  beforeAll(async () => {
    alone = await RunningService.start({ DATABASE_URL: database.url, ...secrets });
  });
  afterAll(() => alone.stop());

  it('503 storage_unavailable for a package and an image that only another node has', async () => {
    for (const path of [links.walletAUrl!, icon]) {
      expect(await service.request('GET', path)).toMatchObject({ status: 200 });
      const response = await alone.request('GET', path);
      expect(response).toMatchObject(withoutStorage);
      expect(response.headers.get('retry-after')).toBe('1');
    }
  });

  it('503 storage_unavailable for a template with an image that only another node has', async () => {
    const { token } = account;
    const body = { ...templateBody('offer'), icon };
    expect(await alone.request('POST', '/v1/templates/new', { token, body })).toMatchObject(withoutStorage);
  });

  it('404 not_found for an image that no node has', async () => {
    const path = icon.replace(/[0-9a-f]{64}/, '0'.repeat(64));
    expect(await alone.request('GET', path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
