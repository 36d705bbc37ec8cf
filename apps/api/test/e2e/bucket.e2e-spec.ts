import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageUnavailable } from '@passwright/core';
import { S3Storage, type S3Store } from '@passwright/storage';
import { TestBucket } from '@passwright/testing';
import sharp from 'sharp';
import { examine } from '../../src/doctor/doctor-program.js';
import { ProbePace } from '../../src/health/probe.js';
import { operatorRun } from '../support/operator-run.js';
import { masterKeys, RunningService, type Account } from '../support/running-service.js';
import { UnpackedPackage } from '../support/unpacked-package.js';

/* Two nodes that share a bucket. Each has its own disk. */
let bucket: TestBucket;
let variables: Record<string, string>;
let storage: S3Storage;
let first: RunningService;
let second: RunningService;
let account: Account;
const folders: string[] = [];

const folder = (name: string): string => {
  const dir = mkdtempSync(join(tmpdir(), `passwright ${name} `));
  folders.push(dir);
  return dir;
};

beforeAll(async () => {
  bucket = await TestBucket.start();
  const { accessKeyId, secretAccessKey } = bucket.credentials;
  variables = {
    S3_BUCKET: bucket.name,
    S3_ENDPOINT: bucket.endpoint,
    S3_PREFIX: 'passes',
    S3_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    ACCESS_TOKEN_SECRET: randomBytes(32).toString('base64'),
    PASS_TOKEN_SECRET: randomBytes(32).toString('base64'),
    MASTER_KEYS: masterKeys,
  };
  storage = await S3Storage.load(storeOf('passes'));
  first = await RunningService.start(variables);
  const dir = folder('second');
  const chain = join(first.dataDir, 'development-chain');
  if (existsSync(chain)) cpSync(chain, join(dir, 'development-chain'), { recursive: true });
  second = await RunningService.start({ ...variables, DATA_DIR: dir }, first);
  account = await first.register();
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  storage.onApplicationShutdown();
  await bucket.stop();
  for (const dir of folders) rmSync(dir, { recursive: true });
});

function storeOf(prefix: string): S3Store {
  const { name, endpoint, region, credentials } = bucket;
  return { kind: 's3', bucket: name, endpoint, region, credentials, prefix, pathStyle: true };
}

const picture = (width: number) =>
  sharp({ create: { width, height: 200, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();

async function upload(node: RunningService, width: number): Promise<string> {
  const body = new FormData();
  body.append('icon', new Blob([Uint8Array.from(await picture(width))]), 'icon.png');
  const response = await node.request('POST', '/v1/templates/x/images', { token: account.token, body });
  expect(response.status).toBeLessThan(300);
  return response.body.icon;
}

const listed = async (of: S3Storage, path: string) => {
  const keys: string[] = [];
  for await (const { key } of of.list(path)) keys.push(key);
  return keys;
};

describe('two nodes with one bucket and a disk each', () => {
  it('a node serves an image that the other node has stored, without storing it on either disk', async () => {
    const icon = await upload(first, 201);
    const [here, there] = [await first.request('GET', icon), await second.request('GET', icon)];
    expect([here.status, there.status]).toEqual([200, 200]);
    expect(there.bytes).toEqual(here.bytes);
    expect(await listed(storage, `images/${account.id}`)).toHaveLength(1);
    expect([first.dataDir, folders[0]!].filter((dir) => existsSync(join(dir, 'storage')))).toEqual([]);
  });

  it('a node builds packages, previews and bundles from a template that the other node has saved', async () => {
    await account.saveTemplate('event');
    const { body } = await account.post('/v1/pass/event', {});
    const { status, bytes } = await second.request('GET', body.walletAUrl);
    expect(status).toBe(200);
    const unpacked = await UnpackedPackage.of(bytes);
    unpacked.remove();
    for (const path of [
      `/v1/pass/event/${body.pass.id}/preview`,
      `/v1/pass/${account.id}/bundle/walletA?pass=event:${body.pass.id}`,
      body.webUrl,
    ]) {
      expect([path, (await second.request('GET', path, { token: account.token })).status]).toEqual([path, 200]);
    }
  });

  it('a node saves a template with an image that the other node has stored', async () => {
    const icon = await upload(second, 202);
    expect(await account.saveTemplate('offer', 'offer', { icon })).toMatchObject({ status: 200 });
    const { body } = await second.request('GET', '/v1/templates/offer', { token: account.token });
    expect(body.icon).toBe(icon);
  });

  it('nodes stay ready during a short failure of the bucket, and return 503 during a long one', async () => {
    for (const node of [first, second]) {
      node.app.get(ProbePace).everyMs = 0;
      node.app.get(ProbePace).retryMs = 0;
      expect(await node.request('GET', '/health/ready')).toMatchObject({ status: 200 });
    }
    const away = jest.spyOn(S3Storage.prototype, 'get').mockRejectedValue(new StorageUnavailable());
    expect(await first.request('GET', '/health/ready')).toMatchObject({ status: 200 });
    expect(away).toHaveBeenCalled();
    away.mockRestore();
    first.app.get(ProbePace).bucketGraceMs = 0;
    for (const method of ['get', 'put'] as const) {
      const failing = jest.spyOn(S3Storage.prototype, method).mockRejectedValue(new StorageUnavailable());
      expect(await first.request('GET', '/health/ready')).toMatchObject({
        status: 503,
        body: { code: 'not_ready', message: 'The storage of images cannot be used; see the logs.' },
      });
      failing.mockRestore();
    }
    expect(await first.request('GET', '/health/ready')).toMatchObject({ status: 200 });
  });
});

describe('the doctor with a bucket', () => {
  const look = async (changes: Record<string, string> = {}, limitMs = 5000) => {
    const findings = await examine({ DATA_DIR: folder('doctor'), ...variables, ...changes }, { limitMs });
    const ofStorage = findings.filter(({ check }) => check === 'storage');
    return ofStorage.map(({ verdict, found, fix }) => `${verdict}: ${found}${fix ? ` → ${fix}` : ''}`);
  };

  it('the doctor tests the bucket, and leaves no blob in it', async () => {
    expect(await look()).toEqual([`ok: Images are kept in the bucket ${bucket.name} at ${bucket.endpoint}.`]);
    expect(await listed(storage, 'doctor')).toEqual([]);
  });

  it('the doctor deletes its test blob even if it cannot read the blob', async () => {
    const get = jest.spyOn(S3Storage.prototype, 'get').mockResolvedValue(null);
    expect(await look()).toEqual([expect.stringMatching(/^problem: .*is read as something else/)]);
    get.mockRestore();
    expect(await listed(storage, 'doctor')).toEqual([]);
  });

  it.each([
    [
      { S3_BUCKET: 'nowhere' },
      /^problem: Images cannot be kept in the bucket nowhere at .*NoSuchBucket.* → Create the bucket/,
    ],
    [{ S3_ACCESS_KEY_ID: 'AKIAUNKNOWN' }, /^problem: .*403.* → Correct S3_ACCESS_KEY_ID/],
    [{ S3_ENDPOINT: 'http://127.0.0.1:9' }, /^problem: .*ECONNREFUSED.* → Correct S3_ENDPOINT/],
  ])('the doctor says why it cannot use a bucket with %j, and what to do', async (changes, found) => {
    expect(await look(changes)).toEqual([expect.stringMatching(found)]);
  });

  it('the doctor reports a bucket that does not respond, within the time limit of a check', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await look({ S3_ENDPOINT: `http://127.0.0.1:${port}` }, 4000)).toEqual([
      expect.stringMatching(/^problem: Images cannot be kept in the bucket .*No complete response within \d+ ms/),
    ]);
    server.closeAllConnections();
    server.close();
  });
});

describe('operator storage copy', () => {
  function copy(from: string, changes: Record<string, string> = {}, ...options: string[]) {
    const environment = { DATA_DIR: folder('copy'), ...variables, ...changes };
    return operatorRun(['storage', 'copy', from, ...options], environment);
  }
  const prefix = () => `copied-${randomUUID()}`;

  /** Creates the storage folder of a node without a bucket: images, and other files such as secrets. */
  async function localStorage(): Promise<{ dir: string; images: string[] }> {
    const node = await RunningService.start();
    const owner = await node.register();
    await owner.saveTemplate('offer');
    const dir = folder('local');
    cpSync(join(node.dataDir, 'storage'), dir, { recursive: true });
    writeFileSync(join(dir, 'secrets.json'), '{}');
    writeFileSync(join(dir, 'images', owner.id, 'private.key'), 'secret');
    await node.stop();
    const images = readdirSync(join(dir, 'images', owner.id)).filter((name) => name !== 'private.key');
    return { dir, images: images.map((name) => `images/${owner.id}/${name}`).sort() };
  }

  it('the operator copies only images, and a repeated copy sends only missing or damaged ones', async () => {
    const [{ dir, images }, to] = [await localStorage(), prefix()];
    const target = await S3Storage.load(storeOf(to));
    const everything = await S3Storage.load({ ...storeOf(to), prefix: undefined });
    const run = await copy(dir, { S3_PREFIX: to });
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toMatch(new RegExp(`has ${images.length} images .*${images.length} copied now, 0 before`));
    expect(run.out).toContain('1 other file in');
    expect((await listed(everything, to)).sort()).toEqual(images.map((key) => `${to}/${key}`));

    const [missing, damaged] = images as [string, string];
    await target.delete(missing);
    const original = await target.get(damaged);
    await target.put(damaged, Buffer.alloc(original!.length), 'image/png');
    expect((await copy(dir, { S3_PREFIX: to })).out).toMatch(new RegExp(`2 copied now, ${images.length - 2} before`));
    expect(await target.get(damaged)).toEqual(original);
    for (const each of [target, everything]) each.onApplicationShutdown();
  });

  it('the operator gets exit code 1 for damaged files, but only after all other files were copied', async () => {
    const [{ dir, images }, to] = [await localStorage(), prefix()];
    writeFileSync(join(dir, images[0]!), 'damaged');
    const { code, err } = await copy(dir, { S3_PREFIX: to });
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^1 damaged file in .*Restore the damaged ones from a backup/s),
    ]);
    const target = await S3Storage.load(storeOf(to));
    expect((await listed(target, 'images')).sort()).toEqual(images.slice(1));
    target.onApplicationShutdown();
  });

  /** Creates a folder with images that look like those of the service. */
  function imagesOf(...accounts: string[]): { dir: string; images: string[] } {
    const dir = folder('images');
    const images = accounts.map((account) => {
      const bytes = randomBytes(40);
      mkdirSync(join(dir, 'images', account), { recursive: true });
      const key = `images/${account}/${createHash('sha256').update(bytes).digest('hex')}.png`;
      writeFileSync(join(dir, key), bytes);
      return key;
    });
    return { dir, images };
  }

  it('the operator deletes images from the bucket if the folder lacks them, but only with --delete-others', async () => {
    const [{ dir, images }, to] = [imagesOf('acc_1', 'acc_1', 'acc_2'), prefix()];
    const target = await S3Storage.load(storeOf(to));
    expect((await copy(dir, { S3_PREFIX: to })).out).not.toContain('--delete-others');
    await target.put('images/acc_1/photo.png', Buffer.alloc(1), 'image/png');
    const [erased, kept, erasedAccount] = images as [string, string, string];
    rmSync(join(dir, erased));
    rmSync(join(dir, 'images/acc_2'), { recursive: true });
    const { out } = await copy(dir, { S3_PREFIX: to });
    expect(out).toMatch(/not in the folder: 2 images: .*--delete-others/);
    for (const key of [erased, erasedAccount]) expect(out).toContain(key);
    expect(await listed(target, 'images')).toHaveLength(4);

    await target.put('incarnation/server', Buffer.from('a 1'), 'text/plain');
    const rejected = await copy(dir, { S3_PREFIX: to }, '--delete-others');
    expect(rejected).toMatchObject({ code: 1, err: expect.stringMatching(/^Nodes have used this bucket/) });
    expect(await listed(target, 'images')).toHaveLength(4);
    await target.delete('incarnation/server');

    const last = await copy(dir, { S3_PREFIX: to }, '--delete-others');
    expect([last.code, last.out]).toEqual([0, expect.stringMatching(/^Deleted from the bucket: 2 images/m)]);
    expect((await listed(target, 'images')).sort()).toEqual([kept, 'images/acc_1/photo.png'].sort());
    target.onApplicationShutdown();
  });

  it('the operator skips images that disappear during the copy; exit code 1 for images that cannot be read', async () => {
    const { dir, images } = imagesOf('acc_1', 'acc_1', 'acc_2');
    const list = S3Storage.prototype.list;
    const meanwhile = (work: () => void) =>
      jest.spyOn(S3Storage.prototype, 'list').mockImplementation(function (this: S3Storage, path) {
        work();
        return list.call(this, path);
      });
    const gone = meanwhile(() => {
      rmSync(join(dir, images[0]!), { force: true });
      rmSync(join(dir, 'images/acc_2'), { recursive: true, force: true });
    });
    const run = await copy(dir, { S3_PREFIX: prefix() });
    expect(run).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/ has 1 image .*1 copied now, 0 before/),
    });
    gone.mockRestore();

    const path = join(dir, images[1]!);
    const unreadable = meanwhile(() => {
      rmSync(path, { recursive: true });
      mkdirSync(path);
    });
    expect(await copy(dir, { S3_PREFIX: prefix() })).toMatchObject({
      code: 1,
      err: `${path} cannot be read (EISDIR).\n`,
    });
    unreadable.mockRestore();
  });

  it('the operator gets exit code 1 if the bucket alters the data that it receives', async () => {
    const { dir } = await localStorage();
    const put = jest.spyOn(S3Storage.prototype, 'put').mockResolvedValue();
    expect(await copy(dir, { S3_PREFIX: prefix() })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is read from the bucket as something else/),
    });
    put.mockRestore();
  });

  it.each([
    ['a folder that does not exist', () => join(folder('none'), 'missing'), /There is no folder/],
    ['an empty folder', () => folder('empty'), /There is no folder images/],
    ['a folder without images', () => made('images/acc_1'), /There is no image in/],
    ['a folder with other files', () => made('images/acc_1', 'photo.png'), /There is no image in/],
    ['a link to a folder', () => link(made('images/acc_1')), /is a symbolic link/],
    ['a folder with a link to images', () => within(made('images/acc_1'), 'images'), /is a symbolic link/],
    ['a folder with a link to an account', () => within(made('images/acc_1'), 'images/acc_1'), /is a symbolic link/],
  ])('the operator gets exit code 1 and the reason for %s', async (_, from, reason) => {
    const to = prefix();
    expect(await copy(from(), { S3_PREFIX: to })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(reason),
    });
    const target = await S3Storage.load(storeOf(to));
    expect(await listed(target, 'images')).toEqual([]);
    target.onApplicationShutdown();
  });

  it('the operator gets exit code 1 and the reason if no bucket is set or the bucket is unusable', async () => {
    const { dir } = await localStorage();
    const none = Object.fromEntries(
      Object.keys(variables)
        .filter((name) => name.startsWith('S3_'))
        .map((name) => [name, '']),
    );
    expect(await copy(dir, none)).toMatchObject({ code: 1, err: expect.stringMatching(/^Set S3_BUCKET/) });
    expect(await copy(dir, { S3_BUCKET: 'nowhere' })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/NoSuchBucket.*Create the bucket/),
    });
  });

  /** Creates a folder that contains the folder `path` and, if `file` is given, a file of that name in it. */
  function made(path: string, file?: string): string {
    const dir = folder('made');
    mkdirSync(join(dir, path), { recursive: true });
    if (file !== undefined) writeFileSync(join(dir, path, file), 'x');
    return dir;
  }

  function link(to: string): string {
    const path = join(folder('link'), 'link');
    symlinkSync(to, path);
    return path;
  }

  /** Moves a subfolder elsewhere, and puts a symbolic link to it in its place. */
  function within(dir: string, path: string): string {
    const moved = folder('moved');
    cpSync(join(dir, path), moved, { recursive: true });
    rmSync(join(dir, path), { recursive: true });
    symlinkSync(moved, join(dir, path));
    return dir;
  }
});
