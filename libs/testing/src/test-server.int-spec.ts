import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { databaseUrl } from './test-server.js';

const hook = resolve(__dirname, '../jest/typescript-sources.cjs');
const script = `
  const { startTestServer } = require(${JSON.stringify(resolve(__dirname, 'test-server.ts'))});
  const [, givenUrl, schema] = process.argv;
  startTestServer(givenUrl || undefined, 0, schema || null).then((server) => {
    console.log(JSON.stringify(server));
    process.stdin.on('data', () => server.stop().then(() => process.exit()));
  });`;

/** Runs tests in a separate process with its own temporary folder. */
async function startRun(temporary: string, givenUrl = '', schema = '') {
  const child = spawn(process.execPath, ['-r', hook, '-e', script, givenUrl, schema], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { adminUrl, template } = JSON.parse(line.toString()) as { adminUrl: string; template: string };
  const ended = once(child, 'exit');
  return {
    adminUrl,
    template,
    stop: () => (child.stdin.write('stop'), ended),
    kill: () => (child.kill('SIGKILL'), ended),
  };
}

async function databasesOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
  await client.end();
  return rows.map(({ datname }) => datname);
}

const folders = (temporary: string) => readdirSync(temporary).filter((name) => name.startsWith('passwright-tests-'));

let temporary = '';
beforeEach(() => (temporary = mkdtempSync(join(tmpdir(), 'passwright run '))));
afterEach(() => rm(temporary, { recursive: true, force: true }));

it('a test run removes its own databases and files, and those of a killed run', async () => {
  const killed = await startRun(temporary);
  await killed.kill();
  expect(folders(temporary)).toHaveLength(1);
  const next = await startRun(temporary);
  await expect(databasesOf(killed.adminUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(folders(temporary)).toHaveLength(1);
  await next.stop();
  expect(folders(temporary)).toEqual([]);
  expect(existsSync(temporary)).toBe(true);
});

it('a test run on a given server removes only its own databases and those of killed runs', async () => {
  const server = process.env.PASSWRIGHT_TEST_SERVER ?? '';
  const killed = await startRun(temporary, server);
  await killed.kill();
  const [one, other] = await Promise.all([startRun(temporary, server), startRun(temporary, server)]);
  expect(await databasesOf(server)).toEqual(expect.arrayContaining([one.template, other.template]));
  await one.stop();
  const left = await databasesOf(server);
  expect(left).toContain(other.template);
  expect(left).toContain(process.env.PASSWRIGHT_TEST_TEMPLATE);
  expect(left).not.toContain(one.template);
  expect(left).not.toContain(killed.template);
  await other.stop();
});

it('a test run with a schema creates its tables there, while another app has tables in public', async () => {
  const run = await startRun(temporary, process.env.PASSWRIGHT_TEST_SERVER ?? '', 'tickets');
  const client = new Client({ connectionString: databaseUrl(run.adminUrl, run.template) });
  await client.connect();
  const { rows } = await client.query<{ schema: string; columns: number }>(
    `SELECT table_schema AS schema, count(*)::int AS columns FROM information_schema.columns
     WHERE table_name = 'pass' GROUP BY 1 ORDER BY 1`,
  );
  const { rows: seen } = await client.query<{ table: string }>(
    `SELECT relnamespace::regnamespace::text AS table FROM pg_class WHERE oid = 'pass'::regclass`,
  );
  await client.end();
  await run.stop();
  expect(rows).toEqual([
    { schema: 'public', columns: 1 },
    { schema: 'tickets', columns: expect.any(Number) as number },
  ]);
  expect(seen).toEqual([{ table: 'tickets' }]);
});
