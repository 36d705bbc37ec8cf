import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { operatorRun } from '../support/operator-run.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('backup-keys.e2e-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(240_000);

let server: DebianPostgres;
let service: RunningService;
let dir: string;

const environment = () => ({ DATABASE_URL: server.url, DATA_DIR: join(dir, 'data') });
const start = async () => (service = await RunningService.start(environment()));
/** Stops the service, and waits until the server has closed its connections. */
async function stop(): Promise<void> {
  await service.stop();
  const admin = await new DataSource({ type: 'postgres', url: server.url }).initialize();
  const open = `SELECT FROM pg_stat_activity WHERE application_name LIKE 'passwright%'`;
  while ((await admin.query<unknown[]>(open)).length > 0);
  await admin.destroy();
}

const back = (name: string) => join(dir, name);

async function operator(...words: string[]): Promise<string> {
  const { code, err } = await operatorRun(words, { PATH: process.env.PATH, ...environment() });
  return code === 0 ? '' : err;
}

/** Returns a dump as SQL statements. */
const dumped = (file: string) =>
  execFileSync('pg_restore', ['--file=-', file], { encoding: 'utf8', maxBuffer: 2 ** 28 });

const holders = {
  ada: { email: 'ada.erased@example.com', name: 'Ada Erased', data: { shoe: 'size 37 narrow' } },
  bob: { email: 'bob.present@example.com', name: 'Bob Present', data: { shoe: 'size 45 wide' } },
};

async function membersOf(account: Account, key: string): Promise<Record<keyof typeof holders, number>> {
  const call = (method: string, path: string, body: object) => service.request(method, path, { token: key, body });
  expect((await account.saveTemplate('membership')).status).toBe(200);
  await call('PUT', '/v1/memberships/settings', { templateId: 'membership', reminders: [] });
  const idOf = ({ status, body }: ApiResponse) => (status === 201 ? (body.id as number) : 0);
  const create = (holder: object) => call('POST', '/v1/memberships/members', { ...holder, status: 'active' });
  return { ada: idOf(await create(holders.ada)), bob: idOf(await create(holders.bob)) };
}

/** Lists the names on members' passes, newest first. */
async function namesOn({ token }: Account): Promise<unknown[]> {
  const { body } = await service.request('GET', '/v1/pass/membership', { token });
  return body.data.map(({ primaryValue }: { primaryValue?: string }) => primaryValue);
}

(isInstalled ? describe : describe.skip)('a backup in two parts: the data and its keys', () => {
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright backup '));
    server = await DebianPostgres.startCopy('migrated');
    await start();
  });
  afterEach(async () => {
    await service.stop();
    server.remove();
    rmSync(dir, { recursive: true });
  });

  it('a backup with newer keys restores all data except that of a holder who was erased in the meantime', async () => {
    const account = await service.register();
    const key = await account.apiKey('members:read', 'members:write');
    const ids = await membersOf(account, key);
    const read = async (id: number) =>
      (await service.request('GET', `/v1/memberships/members/${id}`, { token: key })).body;
    expect(await operator('backup', back('older'))).toBe('');
    const text = dumped(join(back('older'), 'database.dump'));
    expect(text).toContain('CREATE TABLE public.encryption_key');
    const { ada, bob } = holders;
    for (const given of [account.email, ada.email, ada.name, ada.data.shoe, bob.email, bob.name, bob.data.shoe])
      expect(text).not.toContain(given);

    const erased = await account.post('/v1/privacy/erase', { email: holders.ada.email });
    expect(erased.body).toMatchObject({ members: 1 });
    expect(await operator('backup', back('newer'))).toBe('');
    await stop();

    expect(await operator('restore', back('older'), '--keys', back('newer'))).toBe('');
    await start();
    expect(await read(ids.bob)).toMatchObject(holders.bob);
    expect(await namesOn(account)).toEqual([holders.bob.name, undefined]);
    const { email, name, data } = await read(ids.ada);
    expect([email, name, data ?? {}]).toEqual(['', '', {}]);
    const { body: me } = await service.request('GET', '/v1/auth/me', { token: account.token });
    expect(me).toMatchObject({ email: account.email, name: 'Ada' });
    await stop();

    // The older keys can decrypt the data of the erased holder. The newest keys cannot.
    expect(await operator('restore', back('older'))).toBe('');
    await start();
    expect(await read(ids.ada)).toMatchObject(holders.ada);
    expect(await namesOn(account)).toEqual([holders.bob.name, holders.ada.name]);
  });

  it('the operator cannot restore a backup without its keys', async () => {
    expect(await operator('backup', back('older'))).toBe('');
    rmSync(join(back('older'), 'keys.dump'));
    await stop();
    expect(await operator('restore', back('older'))).toContain('name the folder of the newest backup by --keys');
    await start();
  });
});
