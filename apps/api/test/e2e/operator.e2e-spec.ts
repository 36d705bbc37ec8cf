import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { operatorRun, type OperatorRun } from '../support/operator-run.js';
import { RunningService } from '../support/running-service.js';
import { ServiceProcess } from '../support/service-process.js';

const root = join(__dirname, '../../../..');
/**
 * The time limit of a test that starts processes. Each loads the whole service, and in a fresh checkout also compiles
 * it.
 */
const PROCESSES_MS = 90_000;

let service: RunningService;
let environment: Record<string, string>;

beforeAll(async () => {
  service = await RunningService.start();
  environment = { DATABASE_URL: (await testDatabase()).url, DATA_DIR: service.dataDir };
});
afterAll(() => service.stop());

/** Runs the command in a separate process from the sources. */
async function operatorProcess(words: readonly string[], variables = environment): Promise<OperatorRun> {
  const { PATH, TMPDIR } = process.env;
  const args = ['-r', join(root, 'libs/testing/jest/typescript-sources.cjs'), join(root, 'apps/api/src/operator.ts')];
  const child = spawn(process.execPath, [...args, ...words], {
    env: { PATH, TMPDIR, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: service.dataDir,
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), out, err };
}

/** Runs the command in this process, which is faster. */
function operator(words: readonly string[], variables = environment): Promise<OperatorRun> {
  return operatorRun(words, variables);
}

const json = async (...words: string[]) => {
  const { code, out, err } = await operator(['--json', ...words]);
  if (code !== 0) throw new Error(err);
  return JSON.parse(out);
};

describe('accounts', () => {
  it('the operator lists accounts and finds them by e-mail, as a table and as JSON', async () => {
    const account = await service.register();
    const [found, { code, out, err }] = await Promise.all([
      json('accounts', 'list', '--query', account.email.toUpperCase()),
      operator(['accounts', 'list', '--query', account.id]),
    ]);
    expect(found).toMatchObject([{ id: account.id, name: 'Analytical Engines', users: 1, planId: null }]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const [head = '', row = '', ...others] = out.split('\n');
    expect(others).toEqual(['']);
    expect(head).toMatch(/^ID +NAME +KIND +CREATED +USERS +PLAN +STATUS$/);
    expect(row.indexOf('Analytical')).toBe(head.indexOf('NAME'));
    expect(row).toMatch(/ 1 +- +-$/);
  });

  it('settings of an account take effect immediately, and omitted settings stay unchanged', async () => {
    const account = await service.register();
    await account.saveTemplate('offer');
    const first = await json(
      ...['accounts', 'set', account.id, '--plan', 'enterprise', '--period', 'year', '--max-pass-creations', '1'],
      ...['--period-start', '2026-01-01T00:00:00Z', '--max-templates', '9', '--customer', `cus_${account.id}`],
    );
    const subscription = {
      planId: 'enterprise',
      status: 'active',
      currentPeriodStart: '2026-01-01T00:00:00.000Z',
      currentPeriodEnd: '2027-01-01T00:00:00.000Z',
      period: 'year',
    };
    const paymentCustomerId = `cus_${account.id}`;
    const enterpriseConfig = { maxTemplates: 9, maxPassCreations: 1 };
    expect(first.billing).toEqual({ paymentCustomerId, subscription, enterpriseConfig });
    expect(await account.post('/v1/pass/offer')).toMatchObject({ status: 201 });
    expect(await account.post('/v1/pass/offer')).toMatchObject({ status: 403, body: { code: 'limit_exceeded' } });
    const set = await operator(['accounts', 'set', account.id, '--status', 'past_due', '--max-pass-creations', 'none']);
    expect(set).toMatchObject({ code: 0, err: '' });
    expect(set.out).toMatch(/^max pass creations +no limit\npass creations +1\nactive passes +1$/m);
    expect(await account.post('/v1/pass/offer')).toMatchObject({ status: 201 });
    expect((await json('accounts', 'show', account.id)).billing).toEqual({
      paymentCustomerId,
      subscription: { ...subscription, status: 'past_due' },
      enterpriseConfig: { maxTemplates: 9 },
    });
  });

  it('terminal control characters in a name are escaped in the table and in JSON', async () => {
    const account = await service.register();
    const name = 'Engines\u202eecivres\u001b[2J\u2067';
    await service.app.get(DataSource).query('UPDATE account SET name = $2 WHERE id = $1', [account.id, name]);
    const { out } = await operator(['accounts', 'list', '--query', account.id]);
    expect(out).toContain('Engines\\u202eecivres\\u001b[2J\\u2067');
    const raw = await operator(['--json', 'accounts', 'show', account.id]);
    for (const text of [out, raw.out]) expect(text).not.toMatch(/[\u202e\u001b\u2067]/);
    expect(JSON.parse(raw.out)).toMatchObject({ name });
    const rejected = await operator(['accounts', 'create', '--name', name, '--admin-email', account.email]);
    expect(rejected.code).toBe(2);
    const renamed = await account.patch('/v1/account', { name: 'Engines\u202e' });
    expect(renamed).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });

  it('accounts are created with an invitation to the first admin', async () => {
    const email = 'ada@operator.example.com';
    const created = await json('accounts', 'create', '--name', 'Difference Engines', '--admin-email', email);
    expect(created).toMatchObject({ name: 'Difference Engines', users: 0 });
    const [found] = await json('accounts', 'list', '--query', 'difference engines', '--limit', '1');
    expect(found.id).toBe(created.id);
  });
});

describe('users and keys', () => {
  it('users and keys of an account are listed, and a revoked key stops working', async () => {
    const account = await service.register();
    const key = await account.apiKey();
    const [users, keys] = await Promise.all([
      json('users', 'list', '--account', account.id),
      json('keys', 'list', '--account', account.id),
    ]);
    expect(users).toMatchObject([{ user: { email: account.email, isAdmin: true } }]);
    expect(keys).toMatchObject([{ name: 'Web shop' }]);
    expect(JSON.stringify(keys)).not.toContain(key);
    await json('keys', 'revoke', keys[0].id, '--account', account.id);
    expect(await service.request('GET', '/v1/templates', { token: key })).toMatchObject({ status: 401 });
    const again = await operator(['keys', 'revoke', keys[0].id, '--account', account.id]);
    expect(again).toMatchObject({ code: 1, out: '', err: expect.stringContaining(keys[0].id) });
  });
});

describe('jobs', () => {
  it('jobs that were set aside are listed, and can be retried once', async () => {
    const account = await service.register();
    const id = `test.errand#${account.id}`;
    const db = service.app.get(DataSource);
    await db.query(
      `INSERT INTO suspect_job (id, task, payload, max_attempts, deaths, set_aside_at) VALUES ($1, $2, $3, 25, 3, now())`,
      [id, 'test.errand', { accountId: account.id }],
    );
    // Other specs may have left further jobs that were set aside.
    const listed = async () => (await json('jobs', 'list')).filter((job: { id: string }) => job.id === id);
    expect(await listed()).toMatchObject([{ id, payload: { accountId: account.id }, setAsideAt: expect.any(String) }]);
    expect((await operator(['jobs', 'list'])).out).toContain(account.id);
    expect(await json('jobs', 'retry', id)).toEqual({ id, queued: true });
    expect(await listed()).toEqual([]);
    expect(await operator(['jobs', 'retry', id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('is set aside'),
    });
    // Delete the job, because other specs wait until no job is due, and this one has no handler.
    await db.query(`DELETE FROM graphile_worker._private_jobs WHERE payload ->> 'accountId' = $1`, [account.id]);
  });
});

describe('migrate', () => {
  it('`migrate` creates the schema of an empty database, and changes nothing when it runs again', async () => {
    const db = service.app.get(DataSource);
    const name = `migrate_${randomBytes(6).toString('hex')}`;
    const count = async (of: DataSource) => (await of.query('SELECT count(*)::int AS n FROM migration'))[0].n;
    await db.query(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = Object.assign(new URL(environment.DATABASE_URL as string), { pathname: `/${name}` }).href;
    try {
      for (const run of [1, 2]) {
        const { code, out, err } = await operator(['migrate'], { ...environment, DATABASE_URL: url });
        expect({ run, code, out }).toEqual({ run, code: 0, out: 'The schema is that of this version.\n' });
        expect(err).toContain('The command checks and runs migrations.\n');
        const migrated = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
        expect(await count(migrated)).toBe(await count(db));
        await migrated.destroy();
      }
    } finally {
      await db.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('exit code 1 without DATABASE_URL or a server, so that a deployment stops', async () => {
    const { DATA_DIR } = environment as { DATA_DIR: string };
    const [embedded, gone] = await Promise.all([
      operator(['migrate'], { DATA_DIR }),
      operator(['migrate'], { DATA_DIR, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
    ]);
    expect(embedded).toMatchObject({ code: 1, err: expect.stringContaining('Set DATABASE_URL') });
    expect(gone).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /The database none at 127\.0\.0\.1:1 is unavailable: [^\n]+\. Try again when it runs\.\n$/,
      ),
    });
  });
});

describe('failed commands', () => {
  it.each([
    ['accounts show acc_none', 'There is no account "acc_none"'],
    ['accounts set acc_none --plan pro', 'There is no account "acc_none"'],
    ['users list --account acc_none', 'There is no account "acc_none"'],
    ['database distribute', 'The database has no extension Citus. Run CREATE EXTENSION citus'],
  ])('exit code 1 with an explanation: %s', async (words, sentence) => {
    const { code, out, err } = await operator(words.split(' '));
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^[^\n]+\.\n$/);
    expect(err).toContain(sentence);
  });

  it('a failed command names the options that exclude each other', async () => {
    const account = await service.register();
    const { code, err } = await operator(['accounts', 'set', account.id, '--period-end', '2026-01-01T00:00:00Z']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('--plan must be set as well') });
    expect(err).toContain('--period-end');
  });

  it('exit code 1 without a database or with an invalid configuration, without creating anything', async () => {
    const DATA_DIR = join(service.dataDir, 'elsewhere');
    const [none, wrong, gone] = await Promise.all([
      operator(['accounts', 'list'], { DATA_DIR }),
      operator(['accounts', 'list'], { ...environment, PORT: 'many' }),
      operator(['accounts', 'list'], { DATA_DIR, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
    ]);
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('There is no database yet') });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('PORT must be') });
    expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('The database cannot be used') });
  });
});

describe('wrong usage', () => {
  it.each([
    ['', 'Usage: operator'],
    ['accounts nope', "unknown command 'nope'"],
    ['accounts set acc_1', 'give at least one option, such as --plan pro'],
    [
      'accounts set acc_1 --max-templates many',
      "'--max-templates <n>' argument 'many' is invalid. It must be a whole number",
    ],
    ['accounts set acc_1 --status paid', 'trialing, active, past_due, canceled, unpaid'],
    ['accounts set acc_1 --period-end 2026-02-30T00:00:00Z', 'such as 2026-11-01T00:00:00Z'],
    ['accounts create --name x --admin-email a@b,c@d', 'a single e-mail address'],
    ['keys list', "required option '--account <accountId>'"],
  ])('exit code 2 with a hint: %s', async (words, hint) => {
    const { code, out, err } = await operator(words.split(' ').filter((word) => word !== ''));
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(hint) });
  });

  it('exit code 0 for --help, which explains the command', async () => {
    const { code, out } = await operator(['accounts', 'set', '--help']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('--max-pass-creations <n>') });
  });
});

describe('the command as a separate process', () => {
  it(
    'the process exits with the code, and prints results to standard output and errors to standard error',
    async () => {
      const runs = [
        ['--json', 'accounts', 'list', '--limit', '1'],
        ['accounts', 'show', 'acc_none'],
        ['accounts', 'nope'],
      ];
      const [done, failed, misused] = await Promise.all(runs.map((words) => operatorProcess(words)));
      expect(done).toEqual({ code: 0, out: expect.stringMatching(/^\[[^]*\]\n$/), err: '' });
      expect(failed).toEqual({ code: 1, out: '', err: expect.stringContaining('acc_none') });
      expect(misused).toEqual({ code: 2, out: '', err: expect.stringContaining('nope') });
    },
    PROCESSES_MS,
  );
});

describe('a service with the embedded Postgres', () => {
  it(
    'the command works while a service is running, and does not stop the service',
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'passwright operator '));
      const running = await ServiceProcess.start({ DATA_DIR: dataDir });
      try {
        const register = (email: string) =>
          fetch(`${running.baseUrl}/v1/auth/register`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ email, password: 'correct horse battery', name: 'Ada', accountName: 'Beside' }),
          });
        expect((await register('ada@example.com')).status).toBe(201);
        const run = await operatorProcess(['--json', 'accounts', 'list'], { DATA_DIR: dataDir });
        expect(run).toMatchObject({ code: 0, err: '' });
        expect(JSON.parse(run.out)).toMatchObject([{ name: 'Beside', users: 1 }]);
        expect((await register('grace@example.com')).status).toBe(201);
      } finally {
        await running.kill();
        // This stops the Postgres server, which the killed service has left running.
        await operator(['accounts', 'list'], { DATA_DIR: dataDir });
        rmSync(dataDir, { recursive: true });
      }
    },
    PROCESSES_MS,
  );
});
