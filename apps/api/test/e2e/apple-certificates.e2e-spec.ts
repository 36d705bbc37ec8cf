import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Clock, type AppleCredential } from '@passwright/core';
import { testCertificates, type TestCertificates, type TestPassCertificate } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';
import { strangers, UnpackedPackage } from '../support/unpacked-package.js';

const path = '/v1/account/walletA';
let service: RunningService;
let second: RunningService;
let authority: TestCertificates;
let dir: string;
let account: Account;
let address: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'passwright certificates '));
  authority = testCertificates();
  writeFileSync(join(dir, 'root.pem'), authority.rootPem);
  service = await RunningService.start();
  second = await RunningService.start({}, service);
});
afterAll(async () => {
  await second.stop();
  await service.stop();
  rmSync(dir, { recursive: true });
});
beforeEach(async () => {
  account = await service.register();
  address = (await account.issue('offer')).body.walletAUrl;
});

const aCertificate = (what: TestPassCertificate = {}) =>
  authority.pass({ passTypeIdentifier: 'pass.com.example.club', organizationName: 'Example Club', ...what });
const pem = ({ certificatePem, privateKeyPem, intermediatePem }: AppleCredential) => ({
  certificate: certificatePem,
  privateKey: privateKeyPem,
  intermediate: intermediatePem,
});
const put = (body: object, headers?: Record<string, string>) =>
  service.request('PUT', path, { token: account.token, body, headers });

/** Reads the pass as a phone does. @param root the root certificate to which its signature must chain */
async function passIn(reply: ApiResponse, root?: string) {
  expect(reply.status).toBe(200);
  const unpacked = await UnpackedPackage.of(reply.bytes);
  try {
    if (root) unpacked.verify(join(dir, root));
    return unpacked.pass as { passTypeIdentifier: string; teamIdentifier: string };
  } finally {
    unpacked.remove();
  }
}

const download = (node = service) => node.request('GET', address);

describe('an account’s own certificate', () => {
  it('an account’s own certificate signs only passes of this account, beginning with the next download', async () => {
    const certificate = aCertificate({ teamIdentifier: 'CLUBTEAM01' });
    expect(await passIn(await download())).toMatchObject({ passTypeIdentifier: 'pass.dev.passwright' });
    const { status, body, headers } = await put(pem(certificate));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        source: 'account',
        passTypeIdentifier: 'pass.com.example.club',
        teamIdentifier: 'CLUBTEAM01',
        fingerprint: certificate.fingerprint,
        expiresAt: certificate.expiresAt.toISOString(),
        status: 'valid',
        problem: null,
      },
    });
    expect(headers.get('etag')).toBeTruthy();
    expect(await passIn(await download(), 'root.pem')).toMatchObject({
      passTypeIdentifier: 'pass.com.example.club',
      teamIdentifier: 'CLUBTEAM01',
    });
    const other = await service.register();
    expect((await other.get(path)).body).toMatchObject({ source: 'development', development: true });
    expect((await account.get(path)).body).toEqual(body);
  });

  it('another node soon uses an uploaded or renewed certificate, and stops using a removed one', async () => {
    expect((await download(second)).status).toBe(200);
    const seen = async (teamIdentifier: string) => {
      for (;;) {
        const response = await download(second);
        // The service rejects a download if the certificate changes before the package is signed.
        if (response.status !== 503 && (await passIn(response)).teamIdentifier === teamIdentifier)
          return response.status;
        await pause(50);
      }
    };
    await put(pem(aCertificate({ teamIdentifier: 'FIRSTTEAM1' })));
    expect(await seen('FIRSTTEAM1')).toBe(200);
    await put(pem(aCertificate({ teamIdentifier: 'OTHERTEAM1' })));
    expect(await seen('OTHERTEAM1')).toBe(200);
    expect(await account.delete(path)).toMatchObject({ status: 204 });
    expect(await seen('DEV0TEAM01')).toBe(200);
  });

  it('409 invalid_transition for a renewal under another pass type', async () => {
    await put(pem(aCertificate()));
    const renewed = aCertificate({ expiresAt: new Date(Date.now() + 400 * 86_400_000) });
    expect((await put(pem(renewed))).body.fingerprint).toBe(renewed.fingerprint);
    const other = await put(pem(aCertificate({ passTypeIdentifier: 'pass.com.example.other' })));
    expect(other).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect((await passIn(await download(), 'root.pem')).passTypeIdentifier).toBe('pass.com.example.club');
  });

  it('503 wallet_unavailable for downloads after the certificate has expired, while everything else works', async () => {
    const certificate = aCertificate({ expiresAt: new Date(Date.now() + 86_400_000) });
    expect((await put(pem(certificate))).body).toMatchObject({ status: 'expiring', daysLeft: 0 });
    const { body } = await account.post('/v1/auth/keys', { name: 'later', scopes: ['account:read', 'passes:read'] });
    const read = (target: string) => service.request('GET', target, { token: body.key });
    const clock = jest.spyOn(service.app.get(Clock), 'now').mockReturnValue(new Date(Date.now() + 2 * 86_400_000));
    const responses = [await download(), await read(path), await read('/v1/pass/offer')];
    const rejected = await service.request('PUT', path, { token: body.key, body: pem(certificate) });
    clock.mockRestore();
    expect(responses.map(({ status }) => status)).toEqual([503, 200, 200]);
    expect(responses[0]?.body.code).toBe('wallet_unavailable');
    expect(responses[1]?.body).toMatchObject({ source: 'account', status: 'expired', push: { state: 'off' } });
    expect(rejected.status).toBe(403);
  });

  it('an unusable certificate is rejected with an explanation', async () => {
    const [certificate, expired] = [aCertificate(), aCertificate({ expiresAt: new Date(Date.now() - 1000) })];
    const { privateKey: another } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const anotherKey = another.export({ type: 'pkcs8', format: 'pem' });
    const rejections = [
      { body: { ...pem(expired) }, words: /^certificate: .*expired/ },
      { body: { ...pem(certificate), privateKey: anotherKey }, words: /^privateKey: The private key does not belong/ },
      {
        body: { ...pem(certificate), intermediate: undefined },
        words: /^intermediate: The intermediate certificate is missing/,
      },
      { body: { certificate: certificate.certificatePem }, words: /privateKey must come with the certificate/ },
      { body: { pkcs12: 'AAAA' }, words: /^pkcs12: .*PKCS#12/ },
    ];
    for (const { body, words } of rejections) {
      const response = await put(body);
      expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(response.body.message).toMatch(words);
    }
    expect((await account.get(path)).body.source).toBe('development');
  });

  it('the private key of a certificate is nowhere in the database, even after an upload with an idempotency key', async () => {
    const certificate = aCertificate();
    const headers = { 'Idempotency-Key': 'once' };
    const first = await put(pem(certificate), headers);
    const again = await put(pem(certificate), headers);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    const [, line = ''] = certificate.privateKeyPem.split('\n');
    const tables = await service.app.get(DataSource).query<{ name: string }[]>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_schema IN ('public', 'graphile_worker') AND table_type = 'BASE TABLE'`,
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = await service.app
        .get(DataSource)
        .query(
          `SELECT count(*)::int AS found FROM ${name} t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`,
          [line, Buffer.from(line).toString('hex')],
        );
      expect([name, rows[0].found]).toEqual([name, 0]);
    }
  });

  it('the service accepts a certificate that the portal issues for its signing request', async () => {
    const { status, body } = await account.post(`${path}/request`);
    expect(status).toBe(200);
    expect((await account.get(path)).body.request).toEqual(body);
    if (!strangers.openssl) return;
    writeFileSync(join(dir, 'request.csr'), body.request);
    expect(openssl('req', '-in', 'request.csr', '-noout', '-verify', '-text')).toContain('2048 bit');
    issue('request.csr', 'pass.com.example.requested');
    const taken = await put({
      certificate: readFileSync(join(dir, 'issued.cer')).toString('base64'),
      intermediate: readFileSync(join(dir, 'ca.cer')).toString('base64'),
    });
    expect(taken).toMatchObject({
      status: 200,
      body: { source: 'account', passTypeIdentifier: 'pass.com.example.requested', request: null },
    });
    expect((await passIn(await download(), 'ca.pem')).teamIdentifier).toBe('OPENSSL001');
  });

  it.each([
    ['modern', []],
    ['legacy', ['-legacy', '-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-RC2-40', '-macalg', 'sha1']],
  ])('the service accepts a PKCS#12 file with %s encryption', async (_, flags) => {
    if (!strangers.openssl) return;
    const certificate = aCertificate();
    writeFileSync(join(dir, 'pair.pem'), certificate.certificatePem + certificate.privateKeyPem);
    writeFileSync(join(dir, 'intermediate.pem'), certificate.intermediatePem);
    const out = ['-in', 'pair.pem', '-certfile', 'intermediate.pem', '-passout', 'pass:s3cret', '-out', 'pair.p12'];
    openssl('pkcs12', '-export', ...flags, ...out);
    const pkcs12 = readFileSync(join(dir, 'pair.p12')).toString('base64');
    const wrong = await put({ pkcs12, passphrase: 'another' });
    expect(wrong.body.message).toMatch(/^passphrase: .*does not open/);
    expect((await put({ pkcs12, passphrase: 's3cret' })).body.fingerprint).toBe(certificate.fingerprint);
    expect((await passIn(await download(), 'root.pem')).passTypeIdentifier).toBe('pass.com.example.club');
  });
});

function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
}

/** Issues a pass type certificate for a signing request, from this test's own authority. */
function issue(request: string, passType: string): void {
  const ca = '[v3]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n';
  writeFileSync(
    join(dir, 'ca.cnf'),
    `[req]\ndistinguished_name=dn\nx509_extensions=v3\nprompt=no\n[dn]\nCN=Test CA\n${ca}`,
  );
  openssl(...'req -x509 -newkey rsa:2048 -nodes -sha256 -days 30 -config ca.cnf -keyout ca.key -out ca.pem'.split(' '));
  openssl(...'x509 -in ca.pem -outform DER -out ca.cer'.split(' '));
  writeFileSync(
    join(dir, 'leaf.cnf'),
    'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\n' +
      'extendedKeyUsage=clientAuth,1.2.840.113635.100.4.14\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n' +
      `1.2.840.113635.100.6.1.16=ASN1:UTF8String:${passType}\n`,
  );
  const subject = `/UID=${passType}/CN=Pass Type ID: ${passType}/OU=OPENSSL001/O=OpenSSL Club/C=US`;
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-sha256', '-days', '20'];
  // Replace the subject of the request, as Apple's portal does.
  const options = ['-subj', subject, '-extfile', 'leaf.cnf', '-outform', 'DER', '-out', 'issued.cer'];
  openssl('x509', '-req', '-in', request, ...signer, ...options);
}
