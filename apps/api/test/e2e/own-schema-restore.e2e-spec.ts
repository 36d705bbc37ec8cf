import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@passwright/database';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import { Client } from 'pg';
import { until } from '../support/apple-wallet-world.js';
import { createHostTables, stateOfHost } from '../support/host-tables.js';
import { operatorRun } from '../support/operator-run.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('own-schema-restore.e2e-spec.ts is skipped: install the Debian package postgresql.\n');

jest.setTimeout(240_000);

(isInstalled ? describe : describe.skip)('operator commands with a schema', () => {
  let server: DebianPostgres;
  let client: Client;
  let dir: string;
  let hostBefore: string[];
  const folder = () => join(dir, 'backup');
  const insert = (schema: string, name: string) =>
    client.query(`INSERT INTO ${schema}.account (id, name, created_at) VALUES ('acc_' || $1, $1, now())`, [name]);

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'passwright schema backup '));
    server = await DebianPostgres.startCopy('empty');
    client = new Client(server.url);
    await client.connect();
    await createHostTables(client);
    for (const schema of ['first', 'second']) {
      await migrate(server.url, { schema });
      await insert(schema, 'saved');
    }
    hostBefore = await stateOfHost(client);
    expect(await operator('first', 'backup', folder())).toMatchObject({ code: 0, err: '' });
    for (const schema of ['first', 'second']) await insert(schema, 'later');
  });
  afterAll(async () => {
    await client.end();
    server.remove();
    rmSync(dir, { recursive: true });
  });

  function operator(schema: string | null, ...words: string[]) {
    const given = { PATH: process.env.PATH ?? '', DATABASE_URL: server.url, DATA_DIR: join(dir, 'data') };
    return operatorRun(words, { ...given, ...(schema !== null && { DATABASE_SCHEMA: schema }) });
  }

  async function accountsOf(schema: string): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.account ORDER BY name`);
    return rows.map(({ name }) => name);
  }

  async function whileConnected<T>(applicationName: string, work: () => Promise<T>): Promise<T> {
    const node = new Client({ connectionString: server.url, application_name: applicationName });
    await node.connect();
    return work().finally(() => node.end());
  }

  it('a backup of one schema can be checked', async () => {
    const { code, out } = await operator('first', 'backup', 'check', folder());
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/can be restored.*accounts\s+1\b/s) as string,
    });
  });

  it('a restore is rejected while a node of the same schema is connected', async () => {
    for (const name of ['passwright@first', 'passwright@first jobs']) {
      const { code, err } = await whileConnected(name, () => operator('first', 'restore', folder()));
      expect([code, err]).toEqual([1, expect.stringContaining('A node of the service is connected')]);
    }
  });

  it('a restore into another schema, or without a schema, is rejected and changes nothing', async () => {
    for (const schema of ['third', null]) {
      const { code, err } = await operator(schema, 'restore', folder());
      expect([code, err]).toEqual([1, expect.stringMatching(/already exists|set DATABASE_SCHEMA as it was/)]);
    }
    for (const schema of ['first', 'second']) expect(await accountsOf(schema)).toEqual(['later', 'saved']);
    expect(await stateOfHost(client)).toEqual(hostBefore);
  });

  it('a restore replaces one schema, while nodes of another schema run and stay unaffected', async () => {
    const restored = await whileConnected('passwright@second', () => operator('first', 'restore', folder()));
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(await accountsOf('first')).toEqual(['saved']);
    expect(await accountsOf('second')).toEqual(['later', 'saved']);
    expect(await stateOfHost(client)).toEqual(hostBefore);
    const { rows } = await client.query<{ server: string }>('SELECT server FROM first.incarnation');
    expect(rows).toEqual([{ server: expect.not.stringMatching('restored') as string }]);
  });

  it('a restore waits until a node that is stopping has closed its connections', async () => {
    const node = new Client({ connectionString: server.url, application_name: 'passwright@first' });
    await node.connect();
    const restored = operator('first', 'restore', folder());
    const looks = `SELECT FROM pg_stat_activity WHERE application_name = 'operator' AND query LIKE '%pg_stat_activity%'`;
    await until(
      () => client.query(looks),
      ({ rowCount }) => rowCount === 1,
    );
    await node.end();
    expect(await restored).toMatchObject({ code: 0, err: '' });
  });
});
