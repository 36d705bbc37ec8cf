import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@passwright/database';
import {
  emptyDatabase,
  FakeApns,
  FakeGoogleWallet,
  freePort,
  migratedDatabase,
  testCertificates,
  testDatabase,
} from '@passwright/testing';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { DataSource } from 'typeorm';
import { examine, runDoctor } from '../../src/doctor/doctor-program.js';
import type { CheckedFinding } from '../../src/doctor/doctor-report.js';
import { RunningService } from '../support/running-service.js';

const certificates = testCertificates();
const serverCertificate = certificates.server();
const stops: (() => unknown)[] = [];
let service: RunningService;
let apns: FakeApns;
let google: FakeGoogleWallet;
/** The environment of an installation with everything set up. Every provider is a fake on this machine. */
let healthy: Record<string, string>;

beforeAll(async () => {
  const passTokenSecret = randomBytes(32).toString('base64');
  service = await RunningService.start({ PASS_TOKEN_SECRET: passTokenSecret });
  apns = await FakeApns.start({ root: certificates.rootPem });
  google = await FakeGoogleWallet.start({ route: () => service.baseUrl });
  const { issuerId, keyFile } = google.serviceAccount();
  const operator = certificates.pass({ development: false });
  // Use a separate database, because the doctor checks the certificates of all accounts.
  const database = await migratedDatabase();
  stops.push(database.drop);
  healthy = {
    DATABASE_URL: database.url,
    DATA_DIR: service.dataDir,
    PASS_TOKEN_SECRET: passTokenSecret,
    TRUST_PROXY: '1',
    BASE_URL: `https://localhost:${await tlsProxy()}`,
    APPLE_CERTIFICATE: operator.certificatePem,
    APPLE_PRIVATE_KEY: operator.privateKeyPem,
    APPLE_INTERMEDIATE: operator.intermediatePem,
    APPLE_PUSH_URL: apns.url,
    APPLE_PUSH_CA: apns.ca,
    GOOGLE_ISSUER_ID: issuerId,
    GOOGLE_SERVICE_ACCOUNT: keyFile,
    GOOGLE_WALLET_URL: google.urls.api,
    GOOGLE_TOKEN_URL: google.urls.token,
    MAIL_FROM: 'passes@example.com',
    SMTP_URL: `smtp://mail:right@localhost:${await mailServer()}`,
  };
});
afterEach(() => {
  apns.reset();
  google.reset();
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await Promise.all([apns.stop(), google.stop(), service.stop()]);
});

/** Starts a TLS proxy in front of the service, as in production. */
async function tlsProxy({ certificatePem: cert, privateKeyPem: key } = serverCertificate): Promise<number> {
  const proxy = createHttpsServer({ cert, key }, (incoming, response) => {
    const { method, headers, url = '/' } = incoming;
    const onward = requestHttp(new URL(url, service.baseUrl), { method, headers }, (responded) => {
      response.writeHead(responded.statusCode ?? 502, responded.headers);
      responded.pipe(response);
    });
    incoming.pipe(onward.on('error', () => response.destroy()));
  });
  stops.push(() => proxy.close());
  return listening(proxy);
}

async function mailServer(options: SMTPServerOptions = {}): Promise<number> {
  const { certificatePem: cert, privateKeyPem: key } = serverCertificate;
  const server = new SMTPServer({
    cert,
    key,
    disableReverseLookup: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('Invalid username or password')),
    ...options,
  });
  server.on('error', () => undefined);
  stops.push(() => new Promise<void>((resolve) => server.close(resolve)));
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return (server.server.address() as AddressInfo).port;
}

/** Starts a server that accepts connections and never responds. */
async function silentServer(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return listening(server);
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const look = (changes: Record<string, string> = {}, limitMs = 20_000) =>
  examine({ ...healthy, ...changes }, { ca: certificates.rootPem, limitMs });
const wrong = (findings: readonly CheckedFinding[]) => findings.filter(({ verdict }) => verdict !== 'ok');
const of = (check: string, findings: readonly CheckedFinding[]) =>
  findings.filter((finding) => finding.check === check).map(({ verdict, found }) => `${verdict}: ${found}`);

describe('an installation with everything set up', () => {
  it('a complete installation passes all checks that are possible on this machine, and stays unchanged', async () => {
    const findings = await look();
    expect(wrong(findings).map(({ check, found }) => `${check}: ${found}`)).toEqual([
      expect.stringMatching(/^Apple certificate: The chain does not end at Apple/),
      expect.stringMatching(/^base URL: localhost has no public address as seen from here/),
      expect.stringMatching(/^secrets: NODE_ENV is not production/),
    ]);
    expect(of('database', findings)).toEqual([
      expect.stringMatching(/^ok: Postgres \d+/),
      'ok: The clocks of this machine and of the database agree.',
      expect.stringMatching(/^ok: The schema is that of this version/),
    ]);
    expect(of('Apple push', findings)).toEqual([`ok: ${apns.url} takes the certificate.`]);
    expect(of('mail', findings)).toEqual([expect.stringMatching(/responds: TLS, the password is taken\.$/)]);
    expect(of('base URL', findings)).toContain('ok: This installation responds at BASE_URL.');
    expect(google.objects.size).toBe(0);
    expect(JSON.stringify(findings)).not.toContain('right@');
  });
});

describe('rejected credentials', () => {
  it('the doctor reports the reason if the push service, Google, the mail server or the database rejects its credentials', async () => {
    apns.rejectCertificates();
    google.denyIssuer(healthy.GOOGLE_ISSUER_ID!);
    const database = new URL(healthy.DATABASE_URL!);
    database.password = 'wrong';
    database.username = 'nobody';
    const findings = await look({
      SMTP_URL: healthy.SMTP_URL!.replace('right', 'wrong'),
      DATABASE_URL: database.href,
    });
    expect(of('mail', findings)).toEqual([expect.stringMatching(/^problem: .*Invalid username or password/)]);
    expect(of('Google Wallet', findings)).toEqual([
      expect.stringMatching(/^problem: Google does not let .* act for the issuer/),
    ]);
    expect(of('Apple push', findings)).toEqual([expect.stringMatching(/^problem: .*certificate/i)]);
    expect(of('database', findings)).toEqual([
      expect.stringMatching(/^problem: The database .* refuses the role nobody/),
    ]);
    expect(wrong(findings).every(({ fix }) => fix !== null && /[.\w']$/.test(fix))).toBe(true);
  });

  it('the doctor reports a BASE_URL of another installation or server, or with an untrusted certificate', async () => {
    const stranger = testCertificates().server();
    const outcomes = await Promise.all([
      look({ PASS_TOKEN_SECRET: randomBytes(32).toString('base64') }),
      look({ BASE_URL: `${healthy.BASE_URL}/elsewhere` }),
      look({ BASE_URL: `https://localhost:${await tlsProxy(stranger)}` }),
    ]);
    expect(outcomes.map((findings) => of('base URL', findings).filter((line) => line.startsWith('problem')))).toEqual([
      [expect.stringMatching(/another installation responds/)],
      [expect.stringMatching(/something else than this service responds \(404\)/)],
      [expect.stringMatching(/^problem: The certificate of BASE_URL comes /)],
    ]);
  });
});

describe('servers that do not respond', () => {
  it('each check of the doctor ends in time, even if the server does not respond', async () => {
    const silent = await silentServer();
    const findings = await look(
      {
        SMTP_URL: `smtp://localhost:${silent}`,
        BASE_URL: `https://localhost:${silent}`,
        APPLE_PUSH_URL: `https://localhost:${silent}`,
        GOOGLE_TOKEN_URL: `http://localhost:${silent}/token`,
        DATABASE_URL: `postgres://nobody@127.0.0.1:${silent}/nothing`,
      },
      3000,
    );
    // The doctor waits for the database first, and then for all other servers simultaneously. Each check closes its
    // connections.
    for (const check of ['mail', 'Apple push', 'Google Wallet', 'database']) {
      expect(of(check, findings)).toEqual([expect.stringMatching(/^problem: /)]);
    }
    expect(of('base URL', findings).at(-1)).toMatch(/Nothing responds at BASE_URL from here/);
  });

  it('the doctor reports addresses at which no server listens', async () => {
    const closed = await freePort();
    const findings = await look({
      SMTP_URL: `smtp://localhost:${closed}`,
      BASE_URL: `https://localhost:${closed}`,
      DATABASE_URL: `postgres://nobody@127.0.0.1:${closed}/nothing`,
    });
    for (const check of ['mail', 'base URL', 'database']) {
      expect(of(check, findings).at(-1)).toContain('ECONNREFUSED');
    }
  });
});

describe('a database', () => {
  it('the doctor reports an older database, late and failed jobs, expiring certificates, and another secret', async () => {
    const { url, drop } = await emptyDatabase();
    stops.push(drop);
    const early = await look({ DATABASE_URL: url });
    expect(of('database', early).at(-1)).toMatch(/^problem: The schema lacks \d+ of/);
    expect(of('secrets', early)).toEqual([expect.stringMatching(/^warning: NODE_ENV is not production/)]);
    await migrate(url);
    const source = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
    await source.query(`INSERT INTO account (id, name, created_at) VALUES ('acc_1', 'A', now())`);
    await source.query(
      `INSERT INTO apple_certificate (account_id, certificate_pem, intermediate_pem, private_key, pass_type_identifier,
         team_identifier, organization_name, fingerprint, expires_at, development, uploaded_at)
       VALUES ('acc_1', '', '', '\\x01046c6f7374ff', 'pass.a', 'T', 'O', 'f', now() + interval '3 days', false, now())`,
    );
    await source.query(
      `INSERT INTO webhook (account_id, id, secret, previous_secret, created_at, updated_at)
       VALUES ('acc_1', 'whk_1', '\\x0104676f6e65ff', NULL, now(), now()),
              ('acc_1', 'whk_2', '\\x01046c6f7374ff', '\\x01056f6c64657200', now(), now())`,
    );
    await source.query(
      `SELECT graphile_worker.add_job('late', run_at := now() - interval '1 hour'), graphile_worker.add_job('failed')`,
    );
    await source.query(
      `UPDATE graphile_worker._private_jobs SET attempts = max_attempts, last_error = 'no room for <ada@example.com>'
        WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'failed')`,
    );
    await source.query(`INSERT INTO migration (timestamp, name) VALUES (9, 'Later9')`);
    await source.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ('acc_1', 'of another secret', 'pass.a', 'phone', 't', now())`,
    );
    await source.destroy();
    const findings = await look({ DATABASE_URL: url });
    expect(of('database', findings).at(-1)).toMatch(/^problem: The schema is of a newer version: Later9/);
    expect(of('jobs', findings)).toEqual([
      expect.stringMatching(/^warning: 1 jobs are due and wait, the oldest for 60 minutes/),
      'warning: 1 jobs "failed" have failed for good: no room for <…@…>.',
    ]);
    expect(of('secrets', findings)).toContainEqual(
      expect.stringMatching(/^problem: The phones have registered under another PASS_TOKEN_SECRET/),
    );
    expect(of("accounts' certificates", findings)).toEqual([
      expect.stringMatching(/^warning: The certificate of "pass\.a" that account acc_1 has brought expires on/),
      ...['gone', 'lost', 'older'].map((id) =>
        expect.stringContaining(`problem: Keys or secrets of 1 account are encrypted under the master key "${id}"`),
      ),
    ]);
  });
});

it('the doctor warns of a setting that differs from the node that started last', async () => {
  const { url, drop } = await migratedDatabase();
  stops.push(drop);
  const source = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  await source.query('UPDATE incarnation SET node_settings = $1', [{ BASE_URL: 'https://passes.example.com' }]);
  const findings = await look({ DATABASE_URL: url });
  expect(of('secrets', findings)).toContain('warning: The node that started last has another BASE_URL than this one.');
  await source.query('ALTER TABLE incarnation DROP COLUMN node_settings');
  await source.destroy();
  const older = await look({ DATABASE_URL: url });
  expect(of('secrets', older)).toEqual([expect.stringMatching(/^warning: NODE_ENV is not production/)]);
});

describe('a node with ROLE=api', () => {
  it('the doctor warns that no node runs jobs, until a node runs them', async () => {
    expect(of('jobs', await look({ ROLE: 'api' }))).toEqual([
      'warning: This node has ROLE=api, and no other node runs jobs.',
      expect.stringMatching(/^ok: No job/),
    ]);
    const { url } = await testDatabase();
    expect(of('jobs', await look({ ROLE: 'api', DATABASE_URL: url }))[0]).toMatch(/^ok: Another node runs the jobs/);
  });
});

describe('the command line', () => {
  const run = async (words: string[], environment: Record<string, string>) => {
    const reported = { out: '', err: '' };
    const code = await runDoctor(
      words,
      environment,
      (part) => (reported.out += part),
      (part) => (reported.err += part),
    );
    return { code, ...reported };
  };

  it('exit code 0 if the doctor finds only warnings, with the remedy on the line below', async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'passwright doctor '));
    stops.push(() => rmSync(DATA_DIR, { recursive: true }));
    const { code, out } = await run([], { DATA_DIR, BASE_URL: `http://localhost:${await freePort()}` });
    expect(out).toMatch(/^warning +database +There is no database yet in .*\n +→ Start the service once/);
    expect(out).toMatch(/\n0 problems, \d+ warnings?\.\n$/);
    expect(code).toBe(0);
  });

  it('the doctor does not create files or folders in its working directory', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'passwright doctor '));
    stops.push(() => rmSync(parent, { recursive: true }));
    const files = () => readdirSync(parent, { recursive: true }).sort();
    const environment = { DATA_DIR: join(parent, 'data'), BASE_URL: `http://localhost:${await freePort()}` };
    const { code, out } = await run([], environment);
    expect([code, files()]).toEqual([0, []]);
    expect(out).toContain(`There are no images yet in ${join(parent, 'data', 'storage')}.`);

    mkdirSync(join(parent, 'data', 'storage'), { recursive: true });
    writeFileSync(join(parent, 'data', 'storage', 'image'), '');
    const before = files();
    expect((await run([], environment)).out).toMatch(/Images are kept in .*, \d+ MiB free\./);
    expect(files()).toEqual(before);
  });

  it('the doctor warns of variables that are probably misspelt, even if other variables are invalid', async () => {
    const { code, out } = await run(['--json'], { PORT: 'x', APPLE_CERTIFCATE: 'x', PATH: '/bin' });
    expect(JSON.parse(out)).toEqual([
      expect.objectContaining({ verdict: 'problem', found: expect.stringContaining('PORT') }),
      expect.objectContaining({
        check: 'configuration',
        verdict: 'warning',
        found: 'APPLE_CERTIFCATE is not a variable of Passwright and has no effect; did you mean APPLE_CERTIFICATE?',
      }),
    ]);
    expect(code).toBe(1);
  });

  it('exit code 1 for an invalid configuration, with all problems as JSON; exit code 2 for an unknown option', async () => {
    const { code, out } = await run(['--json'], { PORT: 'x', LOG_LEVEL: 'loud' });
    expect(JSON.parse(out)).toEqual(
      ['PORT', 'LOG_LEVEL'].map((name) =>
        expect.objectContaining({ check: 'configuration', verdict: 'problem', found: expect.stringContaining(name) }),
      ),
    );
    expect([code, (await run(['--fast'], {})).code]).toEqual([1, 2]);
  });
});
