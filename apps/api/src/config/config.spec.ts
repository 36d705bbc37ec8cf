import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REQUESTS_STOP_MS } from '@passwright/http';
import { loadDevelopmentChain } from '@passwright/signer';
import { loadConfig } from './config.js';
import { ConfigInvalid } from './config-validation.js';
import { envExample, fileVariables, variables } from './variables/variables.js';

const secret = 'x'.repeat(43);
const masterKey = (id: string, byte = 1) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright-config-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig({ DATA_DIR: dataDir, ...environment });
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('loadConfig needs no variables in development: it uses defaults and stores generated secrets', () => {
    const first = loadConfig({ DATA_DIR: dataDir });
    const second = loadConfig({ DATA_DIR: dataDir });

    expect(first.server).toEqual({
      host: '127.0.0.1',
      port: 3000,
      baseUrl: 'http://localhost:3000',
      shutdownDelayMs: 0,
      requestsStopMs: REQUESTS_STOP_MS,
    });
    expect(first.http.stopWithinMs).toBe(REQUESTS_STOP_MS);
    expect(first.database.url).toBeNull();
    expect(first.selfService.registration).toBe('open');
    expect(first.accounts.accessTokenSecret).toHaveLength(44);
    expect(second).toEqual(first);
  });

  it.each([
    ['DE', 'de'],
    ['pt-br', 'pt-BR'],
    ['zh-hant-tw', 'zh-Hant-TW'],
    [undefined, 'en'],
  ])('loadConfig gives CONTENT_LANGUAGE %s to all wallets, pages and mails as %s', (given, language) => {
    const config = loadConfig({ DATA_DIR: dataDir, ...(given && { CONTENT_LANGUAGE: given }) });
    const { templates, appleWallet, googleWallet, passPages, passDistribution, memberships } = config;
    for (const part of [templates, appleWallet, googleWallet, passPages, passDistribution, memberships])
      expect(part).toMatchObject({ language });
  });

  it.each(['german', 'de_AT', 'de-AT-CH'])('loadConfig rejects the CONTENT_LANGUAGE "%s"', (given) => {
    const tag = /^CONTENT_LANGUAGE must be a language tag such as en, de or pt-BR/;
    expect(problemsOf({ CONTENT_LANGUAGE: given })).toEqual([expect.stringMatching(tag)]);
  });

  it('loadConfig assumes a pooler if DATABASE_DIRECT_URL differs from DATABASE_URL', () => {
    const [url, other] = ['postgres://db/a', 'postgres://pooler/a'];
    const of = (environment: object) => loadConfig({ DATA_DIR: dataDir, ...environment }).database;
    expect(of({ DATABASE_URL: url })).toMatchObject({ url, directUrl: url, pooled: false, preparedStatements: true });
    expect(of({ DATABASE_URL: url, DATABASE_DIRECT_URL: url })).toMatchObject({ pooled: false });
    expect(of({ DATABASE_URL: other, DATABASE_DIRECT_URL: url, DATABASE_PREPARED_STATEMENTS: 'off' })).toMatchObject({
      url: other,
      directUrl: url,
      pooled: true,
      preparedStatements: false,
    });
    expect(problemsOf({ DATABASE_DIRECT_URL: url })).toEqual([expect.stringMatching(/^DATABASE_URL is missing/)]);
  });

  it('loadConfig accepts a DATABASE_URL with several servers, but rejects a DATABASE_URL that selects a standby', () => {
    const url = 'postgres://passwright:secret@db1:5432,db2:5433/passwright';
    const config = loadConfig({ DATA_DIR: dataDir, DATABASE_URL: `${url}?target_session_attrs=read-write` });
    expect(config.database.url).toBe(`${url}?target_session_attrs=read-write`);
    expect(problemsOf({ DATABASE_URL: 'postgres://db1,db2:no/a' })).toEqual([
      expect.stringMatching(/^DATABASE_URL must be a postgres:/),
    ]);
    expect(problemsOf({ DATABASE_URL: 'postgres:///a?host=db1,db2' })).toEqual([
      expect.stringMatching(/^DATABASE_URL must name several servers before the path/),
    ]);
    expect(problemsOf({ DATABASE_URL: `${url}?target_session_attrs=standby` })).toEqual([
      expect.stringMatching(/^DATABASE_URL must not set target_session_attrs, except/),
    ]);
  });

  it('loadConfig accepts one server in DATABASE_REPLICA_URL, but rejects several', () => {
    const of = (replica: string) => ({ DATABASE_URL: 'postgres://db1/a', DATABASE_REPLICA_URL: replica });
    const url = 'postgres://db2/a?target_session_attrs=standby';
    expect(loadConfig({ DATA_DIR: dataDir, ...of(url) }).database.replicaUrl).toBe(url);
    expect(problemsOf(of('postgres://db2,db3/a'))).toEqual([
      expect.stringMatching(/^DATABASE_REPLICA_URL must name one server; put a TCP proxy in front of several standbys/),
    ]);
  });

  it('loadConfig makes development secrets readable only by their owner', () => {
    loadConfig({ DATA_DIR: dataDir });
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['{}', 'ACCESS_TOKEN_SECRET, PASS_TOKEN_SECRET, MASTER_KEYS'],
    ['{"accessTokenSecret":5}', 'ACCESS_TOKEN_SECRET, PASS_TOKEN_SECRET, MASTER_KEYS'],
    [`{"ACCESS_TOKEN_SECRET":"${secret}","PASS_TOKEN_SECRET":"${secret}","MASTER_KEY":"${secret}"}`, 'MASTER_KEYS'],
    [`{"ACCESS_TOKEN_SECRET":"${secret}","PASS_TOKEN_SECRET":5,"MASTER_KEYS":""}`, 'PASS_TOKEN_SECRET, MASTER_KEYS'],
  ])('loadConfig rejects an incomplete secrets file without adding the missing secrets: %s', (content, missing) => {
    const file = join(dataDir, 'secrets.json');
    writeFileSync(file, content);
    expect(() => loadConfig({ DATA_DIR: dataDir })).toThrow(`is damaged: it has no valid ${missing}. Restore it`);
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });

  it('loadConfig takes a secret from the environment if the secrets file lacks it', () => {
    const stored = { PASS_TOKEN_SECRET: secret, MASTER_KEYS: `development:${Buffer.alloc(32).toString('base64')}` };
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(stored));
    const config = loadConfig({ DATA_DIR: dataDir, ACCESS_TOKEN_SECRET: `${secret}2` });
    expect(config.accounts.accessTokenSecret).toBe(`${secret}2`);
    expect(config.appleWallet.passTokenSecret).toBe(secret);
  });

  it('loadConfig reports damaged master keys in the secrets file', () => {
    const damaged = { ACCESS_TOKEN_SECRET: secret, PASS_TOKEN_SECRET: secret, MASTER_KEYS: 'x' };
    writeFileSync(join(dataDir, 'secrets.json'), JSON.stringify(damaged));
    expect(problemsOf({})).toEqual([expect.stringContaining('is damaged')]);
  });

  it('loadConfig reads the artwork in the folder WALLET_BADGES, and reports the files that it cannot use', () => {
    expect(problemsOf({ WALLET_BADGES: '/nowhere' })).toEqual(['WALLET_BADGES /nowhere cannot be read (ENOENT)']);
    writeFileSync(join(dataDir, 'apple-en.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    const { passPages } = loadConfig({ DATA_DIR: dataDir, WALLET_BADGES: dataDir });
    expect(passPages.badges).toEqual({
      apple: { en: { url: expect.stringMatching(/^data:image\/svg\+xml;base64,/) } },
      google: {},
    });
  });

  it('loadConfig lists all problems together, each with a valid example', () => {
    const problems = problemsOf({ PORT: 'abc', BASE_URL: 'ftp://x', REGISTRATION: 'maybe', DATABASE_URL: 'mysql://x' });

    expect(problems).toEqual([
      'PORT must be a whole number from 0 to 65535; for example PORT=3000',
      'BASE_URL must be an http or https address; for example BASE_URL=https://passes.example.com',
      expect.stringMatching(/^DATABASE_URL must be a postgres:\/\/ address; for example DATABASE_URL=postgres:/),
      'REGISTRATION must be open or closed; for example REGISTRATION=open',
    ]);
  });

  it.each(Object.keys(variables))('loadConfig names the invalid variable %s and gives an example', (name) => {
    const anything = [
      'HOST',
      'DATA_DIR',
      'APPLE_PRIVATE_KEY_PASSPHRASE',
      'OTEL_SERVICE_NAME',
      'WALLET_BADGES',
    ].includes(name);
    const wrong = '\u0000';
    if (anything) return expect(envExample()).toContain(`# ${name}=`);
    // The tracing variables are checked only while tracing is on.
    const [problem] = problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', [name]: wrong });
    expect(problem).toMatch(new RegExp(`^${name} must .*; for example ${name}=`));
  });

  it('loadConfig creates no secret in production, and does not open registration by default', () => {
    expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
      expect.stringMatching(/^ACCESS_TOKEN_SECRET is missing; make one with: openssl rand/),
      expect.stringMatching(/^PASS_TOKEN_SECRET is missing; make one with: openssl rand/),
      expect.stringMatching(/^MASTER_KEYS is missing; make one with: echo/),
    ]);
    const config = loadConfig({
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      ACCESS_TOKEN_SECRET: secret,
      PASS_TOKEN_SECRET: secret,
      MASTER_KEYS: masterKey('1'),
    });
    expect(config.selfService.registration).toBe('closed');
    expect(config.server.host).toBe('0.0.0.0');
  });

  it('loadConfig lists missing variables even if others are invalid', () => {
    expect(problemsOf({ NODE_ENV: 'production', PORT: 'abc' })).toHaveLength(4);
  });

  it('loadConfig rejects an Apple certificate that cannot sign, and explains why', () => {
    const pem = '-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----';
    const apple = { APPLE_CERTIFICATE: pem, APPLE_PRIVATE_KEY: pem, APPLE_INTERMEDIATE: pem };
    const problems = problemsOf({ ...apple, BASE_URL: 'https://passes.example.com' });
    expect(problems).toEqual([expect.stringMatching(/^APPLE_CERTIFICATE, .*The certificate cannot be read/s)]);
  });

  it('loadConfig accepts an expired Apple certificate, because only new packages need a valid one', async () => {
    const chain = { kind: 'development', dir: join(dataDir, 'chain') } as const;
    const expired = await loadDevelopmentChain(chain, new Date('2015-01-01T00:00:00Z'));
    const problems = problemsOf({
      APPLE_CERTIFICATE: expired.certificatePem,
      APPLE_PRIVATE_KEY: expired.privateKeyPem,
      APPLE_INTERMEDIATE: expired.intermediatePem,
      BASE_URL: 'https://passes.example.com',
    });
    expect(problems).toEqual([]);
  });

  it('loadConfig reads secrets and certificates from files', () => {
    const path = join(dataDir, 'token');
    writeFileSync(path, `${secret}\n`);
    expect(loadConfig({ DATA_DIR: dataDir, ACCESS_TOKEN_SECRET_FILE: path }).accounts.accessTokenSecret).toBe(secret);
    expect(
      problemsOf({ ACCESS_TOKEN_SECRET_FILE: '/nowhere', PASS_TOKEN_SECRET: secret, PASS_TOKEN_SECRET_FILE: path }),
    ).toEqual([
      'ACCESS_TOKEN_SECRET_FILE: /nowhere cannot be read (ENOENT)',
      'PASS_TOKEN_SECRET and PASS_TOKEN_SECRET_FILE are both set; keep one of them',
    ]);
  });

  it('loadConfig stores mails as files unless a mail server is set, and requires a sender for a mail server', () => {
    expect(loadConfig({ DATA_DIR: dataDir }).mailer.transport).toEqual({
      kind: 'outbox',
      dir: join(dataDir, 'outbox'),
      tells: true,
    });
    const url = 'smtp://mail.example.com';
    expect(problemsOf({ SMTP_URL: url })).toEqual([expect.stringMatching(/^MAIL_FROM is missing/)]);
    const { mailer } = loadConfig({ DATA_DIR: dataDir, SMTP_URL: url, MAIL_FROM: 'Ada <ada@example.com>' });
    expect(mailer).toEqual({ from: 'Ada <ada@example.com>', transport: { kind: 'smtp', url } });
  });

  it('loadConfig reads master keys in order, and rejects invalid ones', () => {
    const { masterKeys } = loadConfig({
      DATA_DIR: dataDir,
      MASTER_KEYS: `${masterKey('2027', 2)}, ${masterKey('2026')}`,
    }).encryptedSecrets;
    expect(masterKeys).toEqual([
      { id: '2027', key: Buffer.alloc(32, 2) },
      { id: '2026', key: Buffer.alloc(32, 1) },
    ]);
    const short = Buffer.alloc(31).toString('base64');
    const twice = `${masterKey('1')},${masterKey('1', 2)}`;
    for (const wrong of ['x', `1:${short}`, masterKey(''), masterKey('a b'), `${masterKey('1')},`, twice]) {
      expect(problemsOf({ MASTER_KEYS: wrong })).toEqual([expect.stringMatching(/^MASTER_KEYS must be id:key pairs/)]);
    }
  });

  it.each([
    [{}, 1, 20],
    [{ WORKERS: '3' }, 3, 6],
    [{ WORKERS: '3', DATABASE_POOL_SIZE: '4' }, 3, 2],
  ])('loadConfig divides the connections among the workers, at least two for each: %j', (variables, count, size) => {
    const { workers, database, http } = loadConfig({ DATA_DIR: dataDir, ...variables });
    expect([workers, database.poolSize, http.requestsAtOnce]).toEqual([count, size, size]);
  });

  it.each([
    [{}, { connections: 2000, requests: 300, cacheMib: 256 }],
    [{ WORKERS: '3' }, { connections: 667, requests: 100, cacheMib: 256 / 3 }],
    [
      { WORKERS: '3', CONNECTIONS_PER_ADDRESS: '0', RATE_LIMIT_PER_MINUTE: '0' },
      { connections: 0, requests: 0, cacheMib: 256 / 3 },
    ],
  ])('loadConfig divides the limits of the node among the workers: %j', (variables, share) => {
    const { http, appleWallet } = loadConfig({ DATA_DIR: dataDir, ...variables });
    expect(http.connectionsPerAddress).toBe(share.connections);
    expect(appleWallet.requestsPerPass).toBe(share.requests);
    expect(appleWallet.packageCacheBytes).toBe(Math.ceil(share.cacheMib * 2 ** 20));
  });

  it.each(['0', '-1', '1.5', '129', '1000', 'all', 'AUTO', ' 2'])('loadConfig rejects WORKERS=%s', (WORKERS) => {
    expect(problemsOf({ WORKERS })).toEqual([
      'WORKERS must be auto or a whole number from 1 to 128; for example WORKERS=auto',
    ]);
  });

  it('loadConfig rejects a data folder that it cannot write to', () => {
    expect(problemsOf({ DATA_DIR: '/etc/passwd/data' })).toEqual([
      'DATA_DIR /etc/passwd/data cannot be created (ENOTDIR); for example DATA_DIR=/var/lib/passwright',
    ]);
    writeFileSync(join(dataDir, 'file'), '', { mode: 0o700 });
    expect(problemsOf({ DATA_DIR: join(dataDir, 'file') })).toEqual([
      expect.stringMatching(/^DATA_DIR .*file cannot be written to \(ENOTDIR\); for example/),
    ]);
  });

  // Test a folder under /proc, where Node's recursive mkdir never returns.
  (process.platform === 'linux' ? it : it.skip)('loadConfig rejects a data folder in /proc, and does not hang', () => {
    expect(problemsOf({ DATA_DIR: '/proc/passwright/data' })).toEqual([
      'DATA_DIR /proc/passwright/data cannot be created (ENOENT); for example DATA_DIR=/var/lib/passwright',
    ]);
  });

  it('loadConfig with the option readOnly creates nothing, but still checks the data folder', () => {
    const missing = join(dataDir, 'new', 'data');
    const load = (DATA_DIR: string) => loadConfig({ DATA_DIR }, { readOnly: true });
    expect(load(missing).accounts.accessTokenSecret).toHaveLength(44);
    expect(readdirSync(dataDir)).toEqual([]);
    expect(() => load('/etc/passwd/data')).toThrow('DATA_DIR /etc/passwd/data cannot be created (ENOTDIR)');
    const stored = loadConfig({ DATA_DIR: dataDir });
    expect(load(dataDir).accounts).toEqual(stored.accounts);
  });

  it('loadConfig rejects an Apple certificate without its key or without an https address in BASE_URL', () => {
    const problems = problemsOf({ APPLE_CERTIFICATE: '-----BEGIN CERTIFICATE-----' });
    expect(problems).toEqual([
      expect.stringMatching(/^APPLE_PRIVATE_KEY is missing/),
      expect.stringMatching(/^BASE_URL must be an https address when APPLE_CERTIFICATE is set/),
    ]);
  });

  it("loadConfig uses Apple's bundled intermediate certificate if none is set", () => {
    const pem = '-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----';
    const apple = { APPLE_CERTIFICATE: pem, APPLE_PRIVATE_KEY: pem, BASE_URL: 'https://passes.example.com' };
    const [problem, ...others] = problemsOf(apple);
    expect(problem).toMatch(/The certificate cannot be read/);
    expect([problem, ...others].join()).not.toMatch(/intermediate certificate cannot/i);
  });

  describe('sign-in by OpenID Connect', () => {
    const oidc = {
      OIDC_ISSUER: 'https://login.example.com/',
      OIDC_CLIENT_ID: 'passwright',
      OIDC_CLIENT_SECRET: 'secret',
    };

    it('OpenID Connect is off until a provider is set, for which three variables suffice', () => {
      expect(loadConfig({ DATA_DIR: dataDir }).oidc).toEqual({
        baseUrl: 'http://localhost:3000',
        signInUrl: 'http://localhost:3000/workbench',
        provider: null,
      });
      expect(loadConfig({ DATA_DIR: dataDir, ...oidc }).oidc.provider).toEqual({
        issuer: 'https://login.example.com/',
        clientId: 'passwright',
        clientSecret: 'secret',
        clientAuthentication: 'auto',
        scopes: 'openid email profile',
        returnUrls: ['http://localhost:3000/workbench'],
        registration: 'closed',
      });
    });

    it('loadConfig rejects OpenID Connect if required variables are missing, and names each missing variable', () => {
      const lacking = (environment: Record<string, string>) =>
        problemsOf(environment).map((problem) => /^(\w+) is missing; for example \1=/.exec(problem)?.[1]);
      expect(lacking({ OIDC_ISSUER: oidc.OIDC_ISSUER })).toEqual(['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']);
      expect(lacking({ ...oidc, OIDC_CLIENT_SECRET: '' })).toEqual(['OIDC_CLIENT_SECRET']);
      const returnUrls = { OIDC_RETURN_URLS: 'https://app.example.com/signed-in' };
      expect(lacking(returnUrls)).toEqual(['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']);
    });

    it('loadConfig accepts an OpenID Connect provider without https only in development, and only on the local machine', () => {
      const problems = (issuer: string, more = {}) => problemsOf({ ...oidc, ...more, OIDC_ISSUER: issuer });
      for (const issuer of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080/realms/staff']) {
        expect(problems(issuer)).toEqual([]);
        expect(problems(issuer, { NODE_ENV: 'production' })).toContainEqual(
          expect.stringMatching(/^OIDC_ISSUER must be an https address in production; for example OIDC_ISSUER=https:/),
        );
      }
      const wrong = [
        'http://login.example.com',
        'http://localhost.example.com',
        'https://x.example/?a',
        'https://a@x.example',
      ];
      for (const issuer of [...wrong, 'https://x.example/.well-known/openid-configuration', 'login.example.com']) {
        expect(problems(issuer)).toEqual([expect.stringMatching(/^OIDC_ISSUER must be .*; for example/)]);
      }
    });

    it('loadConfig keeps valid return addresses of sign-ins unchanged, and rejects invalid ones', () => {
      const returnUrls = 'https://app.example.com/signed-in, http://localhost:5173/';
      const { provider } = loadConfig({ DATA_DIR: dataDir, ...oidc, OIDC_RETURN_URLS: returnUrls }).oidc;
      expect(provider?.returnUrls).toEqual([
        'https://app.example.com/signed-in',
        'http://localhost:5173/',
        'http://localhost:3000/workbench',
      ]);
      for (const wrong of [
        'app.example.com',
        'http://app.example.com/',
        'https://x.example/#a',
        'https://x.example/?a',
        'a:b',
      ]) {
        expect(problemsOf({ ...oidc, OIDC_RETURN_URLS: wrong })).toEqual([
          expect.stringMatching(/^OIDC_RETURN_URLS must be https addresses/),
        ]);
      }
      expect(problemsOf({ ...oidc, OIDC_SCOPES: 'email profile' })).toEqual([
        expect.stringMatching(/^OIDC_SCOPES must have openid among its scopes/),
      ]);
    });
  });

  describe('Google Wallet', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keyFile = {
      type: 'service_account',
      client_email: 'passes@example.iam.gserviceaccount.com',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      token_uri: 'https://oauth2.googleapis.com/token',
    };
    const google = { GOOGLE_ISSUER_ID: '3388000000012345678', BASE_URL: 'https://passes.example.com' };

    it('loadConfig selects a development service account for Google Wallet until an issuer is set', () => {
      expect(loadConfig({ DATA_DIR: dataDir }).googleWalletApi).toEqual({
        serviceAccount: { kind: 'development', dir: join(dataDir, 'development-google') },
        apiUrl: null,
        tokenUrl: null,
        saveUrl: null,
        callbackKeysUrl: null,
      });
    });

    it("loadConfig reads Google's key file as JSON, in base64 or from a file", () => {
      const json = JSON.stringify(keyFile);
      const path = join(dataDir, 'google.json');
      writeFileSync(path, json);
      const forms = [
        { GOOGLE_SERVICE_ACCOUNT: json },
        { GOOGLE_SERVICE_ACCOUNT: Buffer.from(json).toString('base64') },
        { GOOGLE_SERVICE_ACCOUNT_FILE: path },
      ];
      for (const form of forms) {
        expect(loadConfig({ DATA_DIR: dataDir, ...google, ...form }).googleWalletApi.serviceAccount).toMatchObject({
          kind: 'operator',
          issuerId: google.GOOGLE_ISSUER_ID,
          clientEmail: keyFile.client_email,
          privateKeyPem: keyFile.private_key,
          tokenUri: keyFile.token_uri,
        });
      }
    });

    it('loadConfig rejects a Google issuer without a service account, and a service account without an issuer', () => {
      expect(problemsOf({ GOOGLE_ISSUER_ID: google.GOOGLE_ISSUER_ID })).toEqual([
        expect.stringMatching(/^GOOGLE_SERVICE_ACCOUNT is missing; for example/),
      ]);
      const alone = { GOOGLE_SERVICE_ACCOUNT: JSON.stringify(keyFile), GOOGLE_WALLET_URL: 'http://localhost:9000/' };
      expect(problemsOf(alone)).toEqual([
        'GOOGLE_ISSUER_ID is missing; for example GOOGLE_ISSUER_ID=3388000000012345678',
      ]);
      const local = { DATA_DIR: dataDir, ...alone, GOOGLE_ISSUER_ID: google.GOOGLE_ISSUER_ID };
      expect(loadConfig(local).googleWalletApi.apiUrl).toBe('http://localhost:9000');
    });

    it("loadConfig explains what is wrong with Google's key file", () => {
      expect(problemsOf({ ...google, GOOGLE_SERVICE_ACCOUNT: '{"type":"authorized_user"}' })).toEqual([
        expect.stringMatching(/^GOOGLE_SERVICE_ACCOUNT must be the key file of a service account/),
      ]);
      const damaged = JSON.stringify({ ...keyFile, private_key: 'x' });
      expect(problemsOf({ ...google, GOOGLE_SERVICE_ACCOUNT: damaged })).toEqual([
        expect.stringMatching(/^GOOGLE_SERVICE_ACCOUNT: The private key cannot be read/),
      ]);
      expect(problemsOf({ GOOGLE_ISSUER_ID: 'BCR2DN4' })).toContainEqual(
        expect.stringMatching(/^GOOGLE_ISSUER_ID must be the 10 to 20 digits/),
      );
    });
  });

  it('loadConfig treats an empty variable as unset', () => {
    expect(loadConfig({ DATA_DIR: dataDir, PORT: '', BASE_URL: '' }).server.port).toBe(3000);
  });
});

describe('.env.example', () => {
  it('.env.example matches the table of variables', () => {
    expect(readFileSync(join(__dirname, '../../../../.env.example'), 'utf8')).toBe(envExample());
  });

  it('.env.example names the _FILE variant of each variable that can come from a file', () => {
    for (const name of fileVariables) expect(variables[name].about).toContain(`${name}_FILE`);
  });
});
