import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { operatorRun } from '../support/operator-run.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('backup-check.e2e-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(240_000);

let server: DebianPostgres;
let dir: string;

const account = 'acc_checked';
const bytes = Buffer.from('an image');
const key = `images/${account}/${createHash('sha256').update(bytes).digest('hex')}.png`;
const folder = () => join(dir, 'backup');
const image = () => join(folder(), 'storage', key);

async function sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const source = await new DataSource({ type: 'postgres', url: server.url }).initialize();
  try {
    return await source.query<Row[]>(text, values);
  } finally {
    await source.destroy();
  }
}

function operator(...words: string[]) {
  const { PATH } = process.env;
  return operatorRun(words, { PATH, DATABASE_URL: server.url, DATA_DIR: join(dir, 'data') });
}

/** Checks the backup, and that the check has deleted its temporary database. */
async function check() {
  const scratch = mkdtempSync(join(dir, 'scratch '));
  const result = await operator('backup', 'check', folder(), '--scratch', scratch);
  expect(readdirSync(scratch)).toEqual([]);
  return result;
}

(isInstalled ? describe : describe.skip)('operator backup check', () => {
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright backup '));
    server = await DebianPostgres.startCopy('migrated');
    await sql(`INSERT INTO account (id, name, created_at) VALUES ($1, 'Checked', now())`, [account]);
    await sql('INSERT INTO stored_image (account_id, key, size_bytes) VALUES ($1, $2, 8)', [account, key]);
    const stored = join(dir, 'data/storage', key);
    mkdirSync(dirname(stored), { recursive: true });
    writeFileSync(stored, bytes);
    expect(await operator('backup', folder())).toMatchObject({ code: 0 });
  });
  afterEach(() => {
    server.remove();
    rmSync(dir, { recursive: true });
  });

  it('a complete backup passes the check, which counts accounts and images', async () => {
    await sql(`INSERT INTO account (id, name, created_at) VALUES ('acc_later', 'Later', now())`);
    const { code, out } = await check();
    expect(code).toBe(0);
    expect(out).toMatch(/^The backup in .* can be restored\.$/m);
    expect(out).toMatch(/^accounts +1$/m);
    expect(out).toMatch(/^images +1$/m);
    expect(await sql('SELECT FROM account')).toHaveLength(2);
  });

  it('only the owner can read a backup, even if the backup replaces an older one', async () => {
    const files = ['database.dump', 'keys.dump', join('storage', key)].map((path) => join(folder(), path));
    const modes = (paths: string[]) => paths.map((path) => statSync(path).mode & 0o777);
    expect(modes(files)).toEqual([0o600, 0o600, 0o600]);
    expect(modes([folder(), dirname(image())])).toEqual([0o700, 0o700]);
    for (const path of files) chmodSync(path, 0o644);
    chmodSync(folder(), 0o755);
    expect(await operator('backup', folder())).toMatchObject({ code: 0 });
    expect(modes([...files, folder()])).toEqual([0o600, 0o600, 0o600, 0o755]);
  });

  it('the check names a missing and a damaged image', async () => {
    writeFileSync(image(), 'another image');
    expect(await check()).toMatchObject({ code: 1, err: expect.stringContaining(`Damaged images (1): ${key}.`) });
    rmSync(image());
    expect(await check()).toMatchObject({ code: 1, err: expect.stringContaining(`Missing images (1): ${key}.`) });
  });

  it('a dump without its second half cannot be restored', async () => {
    const dump = join(folder(), 'database.dump');
    const whole = readFileSync(dump);
    writeFileSync(dump, whole.subarray(0, whole.length / 2));
    expect(await check()).toMatchObject({ code: 1, err: expect.stringContaining('pg_restore failed') });
  });

  it('the check names a master key that the backup needs but MASTER_KEYS lacks', async () => {
    // The bytes of a wrapped key: version 1, the length of the master key's id, and the id "9".
    await sql(`INSERT INTO encryption_key (account_id, id, wrapped) VALUES ($1, 'root', '\\x010139')`, [account]);
    expect(await operator('backup', folder())).toMatchObject({ code: 0 });
    expect(await check()).toMatchObject({
      code: 1,
      err: expect.stringContaining('under the master key "9", which is not in MASTER_KEYS'),
    });
  });

  it('a backup of a newer version is rejected', async () => {
    await sql(`INSERT INTO migration (timestamp, name) VALUES (1, 'Newer')`);
    expect(await operator('backup', folder())).toMatchObject({ code: 0 });
    expect(await check()).toMatchObject({ code: 1, err: expect.stringContaining('A newer version has made this') });
  });
});
