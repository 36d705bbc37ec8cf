import { AccountCertificates, WalletUnavailable } from '@passwright/core';
import type { Registered } from '../credentials-node.fixtures.js';
import {
  aCertificate,
  CertificatesNode,
  keyOf,
  p12Of,
  pairOf,
  PATH,
  pemOf,
  type SampleCertificate,
} from '../apple-certificates.fixtures.js';

let node: CertificatesNode;
let inDevelopment: CertificatesNode;
let user: Registered;

beforeAll(async () => {
  [node, inDevelopment] = await Promise.all([
    CertificatesNode.start(),
    CertificatesNode.start({ operator: { passTypeIdentifier: 'pass.dev.passwright', development: true } }),
  ]);
});
afterAll(() => Promise.all([node.stop(), inDevelopment.stop()]));
beforeEach(async () => {
  user = await node.register();
});

const read = ({ accessToken: token }: Registered, at = node) => at.call('get', PATH, { token });
const remove = ({ accessToken: token }: Registered) => node.call('delete', PATH, { token });
const request = ({ accessToken: token }: Registered) => node.call('post', `${PATH}/request`, { token });
const found = ({ accountId }: Registered, at = node) => at.get(AccountCertificates).find(accountId);
const changeJobs = `FROM graphile_worker._private_jobs job USING graphile_worker._private_tasks task
  WHERE task.id = job.task_id AND task.identifier = 'apple-certificate.changed' AND job.payload ->> 'accountId' = $1`;
/** Counts the jobs for passes with a changed certificate that were added since the last call. */
const changes = async ({ accountId }: Registered) =>
  (await node.sql(`WITH taken AS (DELETE ${changeJobs} RETURNING 1) SELECT * FROM taken`, [accountId])).length;

/** Builds the certificate that Apple's portal would issue for the key of the pending request. */
async function issuedFor(owner: Registered, changes: Partial<SampleCertificate> = {}): Promise<SampleCertificate> {
  const spy = jest.spyOn(node.reader, 'createRequest');
  await request(owner);
  const { privateKeyPem } = await (spy.mock.results[0]?.value as Promise<{ privateKeyPem: string }>);
  spy.mockRestore();
  return aCertificate({ key: privateKeyPem.split('\n')[1], ...changes });
}

describe('an uploaded certificate', () => {
  it('an uploaded certificate signs the passes, and is shown without its key', async () => {
    const certificate = aCertificate();
    const { status, body } = await node.save(user, pairOf(certificate));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        source: 'account',
        passTypeIdentifier: 'pass.com.example.club',
        teamIdentifier: 'TEAM000001',
        organizationName: 'Example Club',
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        expiresAt: '2027-12-20T10:00:00.000Z',
        daysLeft: 395,
        status: 'valid',
        development: false,
        problem: null,
        request: null,
        push: { state: 'on', reason: null, since: null, retryAt: null },
      },
    });
    expect((await read(user)).body).toEqual(body);
    expect(await found(user)).toEqual({
      certificatePem: pemOf(certificate),
      privateKeyPem: keyOf(certificate),
      intermediatePem: expect.stringContaining('bundled'),
    });
  });

  it.each([
    ['a PKCS#12 file', (certificate: SampleCertificate) => ({ pkcs12: p12Of(certificate) })],
    [
      'a PKCS#12 file with a passphrase, in base64 on several lines',
      (certificate: SampleCertificate) => ({
        pkcs12: p12Of(certificate, 's3cret').replace(/.{76}/g, '$&\n'),
        passphrase: 's3cret',
      }),
    ],
    [
      'a PKCS#12 file with an empty passphrase',
      (certificate: SampleCertificate) => ({ pkcs12: p12Of(certificate), passphrase: '' }),
    ],
    [
      'PEM text whose line ends a shell wrote as \\n',
      (certificate: SampleCertificate) => ({
        certificate: pemOf(certificate).replaceAll('\n', '\\n'),
        privateKey: keyOf(certificate).replaceAll('\n', '\\n'),
      }),
    ],
    [
      'PEM files with Windows line ends, in base64',
      (certificate: SampleCertificate) => ({
        certificate: Buffer.from(pemOf(certificate).replaceAll('\n', '\r\n')).toString('base64'),
        privateKey: Buffer.from(keyOf(certificate).replaceAll('\n', '\r\n')).toString('base64'),
      }),
    ],
    [
      'one PEM text with certificate, key and bag attributes',
      (certificate: SampleCertificate) => ({
        certificate: `Bag Attributes\n  friendlyName: x\n${pemOf(certificate)}${keyOf(certificate)}`,
      }),
    ],
    [
      'a DER file in base64, with its key and the certificate of the issuer',
      (certificate: SampleCertificate) => ({
        certificate: Buffer.from(JSON.stringify(certificate)).toString('base64'),
        privateKey: keyOf(certificate),
        intermediate: Buffer.from('DER of the issuer').toString('base64'),
      }),
    ],
  ])('the service accepts an uploaded certificate that is %s', async (_, bodyOf) => {
    const certificate = aCertificate();
    const body = bodyOf(certificate);
    expect(await node.save(user, body)).toMatchObject({ status: 200, body: { source: 'account' } });
    const { privateKeyPem, intermediatePem } = (await found(user)) ?? {};
    expect(privateKeyPem).toBe(keyOf(certificate));
    if ('intermediate' in body) expect(intermediatePem).toContain(body.intermediate);
  });

  it('the key and passphrase of an uploaded certificate do not appear in the database or in a response', async () => {
    const certificate = await issuedFor(user);
    const passphrase = 'a very secret passphrase';
    const responses = [
      await read(user),
      await node.save(user, { certificate: pemOf(certificate) }),
      await node.save(user, { pkcs12: p12Of(certificate, passphrase), passphrase }),
      await request(user),
      await node.save(user, { pkcs12: p12Of(certificate, passphrase), passphrase: 'wrong secret' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400]);
    const rows = [
      ...(await node.sql('SELECT * FROM apple_certificate WHERE account_id = $1', [user.accountId])),
      ...(await node.sql('SELECT * FROM apple_certificate_request WHERE account_id = $1', [user.accountId])),
    ];
    expect(rows).toHaveLength(2);
    const bytes = rows.flatMap((row) =>
      Object.values(row).map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)))),
    );
    // A sample certificate contains the name of its key, so search the rows for the stored form of the key.
    for (const secret of ['PRIVATE KEY', 'requested-', passphrase, 'wrong secret']) {
      expect([secret, bytes.some((value) => value.includes(secret))]).toEqual([secret, false]);
      expect(responses.map(({ text }) => text.includes(secret))).toEqual(responses.map(() => false));
    }
  });

  it('an uploaded certificate belongs to one account, and other accounts cannot see or change it', async () => {
    const other = await node.register();
    await node.save(user, pairOf(aCertificate()));
    expect((await read(other)).body).toMatchObject({ source: 'operator' });
    expect((await remove(other)).status).toBe(404);
    expect(await found(other)).toBeNull();
    await node.save(other, pairOf(aCertificate({ organization: 'Other' })));
    expect((await read(user)).body.organizationName).toBe('Example Club');
    // Give another account a copy of the encrypted key, which it must not be able to decrypt.
    const copied = 'SELECT private_key FROM apple_certificate WHERE account_id = $1';
    const [row] = await node.sql(copied, [user.accountId]);
    const copy = 'UPDATE apple_certificate SET private_key = $2 WHERE account_id = $1';
    await node.sql(copy, [other.accountId, row.private_key]);
    node.clock.advance(2);
    await expect(found(other)).rejects.toThrow(WalletUnavailable);
    expect((await read(other)).body.problem).toContain('cannot be opened');
  });

  it('an uploaded certificate takes effect immediately on the node that received it, and within a second on other nodes', async () => {
    const other = await CertificatesNode.start();
    expect([await found(user), await found(user, other)]).toEqual([null, null]);
    await node.save(user, pairOf(aCertificate()));
    expect(await found(user)).not.toBeNull();
    expect(await found(user, other)).toBeNull();
    other.clock.advance(1);
    const seen = await found(user, other);
    expect(seen).toEqual(await found(user));
    other.clock.advance(1);
    // Each version is decrypted once, so both look-ups return the same object.
    expect(await found(user, other)).toBe(seen);
    await remove(user);
    expect(await found(user)).toBeNull();
    other.clock.advance(1);
    expect(await found(user, other)).toBeNull();
    await other.stop();
  });

  it('simultaneous calls look up a certificate only once', async () => {
    await node.save(user, pairOf(aCertificate()));
    const all = await Promise.all(Array.from({ length: 20 }, () => found(user)));
    expect(new Set(all).size).toBe(1);
  });
});

describe('renewal', () => {
  it('a renewal with the same pass type is accepted while devices are registered, and does not notify devices', async () => {
    await node.save(user, pairOf(aCertificate()));
    await node.registerDevice(user, 'pass.com.example.club');
    await changes(user);
    const renewed = aCertificate({ expiresAt: '2028-01-01T00:00:00.000Z' });
    const { body } = await node.save(user, pairOf(renewed));
    expect(body.expiresAt).toBe('2028-01-01T00:00:00.000Z');
    expect(await changes(user)).toBe(0);
    expect((await found(user))?.privateKeyPem).toBe(keyOf(renewed));
  });

  it('a renewal with the same certificate changes nothing', async () => {
    const certificate = aCertificate();
    const first = await node.save(user, pairOf(certificate));
    await changes(user);
    const again = await node.save(user, { pkcs12: p12Of(certificate) });
    expect(again.body).toEqual(first.body);
    expect(await changes(user)).toBe(0);
  });

  it('a renewal with the same key can be uploaded without the key', async () => {
    const certificate = aCertificate();
    await node.save(user, pairOf(certificate));
    const renewed = { ...certificate, expiresAt: '2028-01-01T00:00:00.000Z' };
    expect((await node.save(user, { certificate: pemOf(renewed) })).status).toBe(200);
    expect((await found(user))?.privateKeyPem).toBe(keyOf(certificate));
  });

  it.each([['team'], ['organization']])(
    'a renewal that changes the %s notifies the wallets, because passes show it',
    async (property) => {
      await node.save(user, pairOf(aCertificate()));
      await changes(user);
      await node.save(user, pairOf(aCertificate({ [property]: 'ANOTHER001' })));
      expect(await changes(user)).toBe(1);
    },
  );

  it('409 invalid_transition for a renewal with another pass type, with the reason and the remedy in the message', async () => {
    await node.save(user, pairOf(aCertificate()));
    const { status, body } = await node.save(user, pairOf(aCertificate({ passType: 'pass.com.example.other' })));
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'invalid_transition' });
    for (const word of ['pass.com.example.other', 'pass.com.example.club', 'never update again', 'DELETE']) {
      expect(body.message).toContain(word);
    }
    expect((await read(user)).body.passTypeIdentifier).toBe('pass.com.example.club');
  });
});

describe('the first certificate of an account', () => {
  it('409 invalid_transition for the first certificate while devices have passes of the operator’s pass type', async () => {
    await node.registerDevice(user, 'pass.com.example.operator');
    const { status, body } = await node.save(user, pairOf(aCertificate()));
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'invalid_transition' });
    expect(body.message).toContain('"pass.com.example.operator"');
    const same = await node.save(user, pairOf(aCertificate({ passType: 'pass.com.example.operator' })));
    expect(same.status).toBe(200);
  });

  it('the first certificate is accepted while no device is registered, and notifies the wallets', async () => {
    expect((await node.save(user, pairOf(aCertificate()))).status).toBe(200);
    expect(await changes(user)).toBe(1);
  });

  it('the first certificate is accepted even if devices have development passes, which phones reject', async () => {
    const developer = await inDevelopment.register();
    expect((await read(developer, inDevelopment)).body).toMatchObject({
      source: 'development',
      development: true,
      push: { state: 'off', reason: expect.stringContaining('development') },
    });
    await inDevelopment.registerDevice(developer, 'pass.dev.passwright');
    expect((await inDevelopment.save(developer, pairOf(aCertificate()))).status).toBe(200);
  });
});

describe('an invalid certificate', () => {
  const expired = aCertificate({ expiresAt: '2026-01-01T00:00:00.000Z' });

  it.each<[string, object, string[]]>([
    ['an empty request', {}, ['pkcs12 or certificate must be given']],
    ['a key alone', { privateKey: keyOf(expired) }, ['certificate must come with the privateKey']],
    ['a PKCS#12 file that is PEM', { pkcs12: pemOf(expired) }, ['pkcs12: The PKCS#12 file cannot be read']],
    ['a PKCS#12 file that is not base64', { pkcs12: 'a%b' }, ['pkcs12 must be base64']],
    ['bytes that are not a PKCS#12 file', { pkcs12: 'AAAA' }, ['pkcs12: The PKCS#12 file cannot be read']],
    [
      'a wrong passphrase',
      { pkcs12: p12Of(expired, 'right'), passphrase: 'wrong' },
      ['passphrase: The passphrase does not open the PKCS#12 file'],
    ],
    [
      'files that are neither certificates nor keys',
      { certificate: '%', privateKey: 'AAAA', intermediate: '%' },
      ['certificate must be PEM text', 'privateKey must be a private key', 'intermediate must be PEM text'],
    ],
    [
      'an expired certificate with another key',
      { certificate: pemOf(expired), privateKey: keyOf(aCertificate()) },
      ['privateKey: The private key does not belong to the certificate; certificate: The certificate expired on'],
    ],
    [
      'a certificate without a key, when no key is known',
      { certificate: pemOf(expired) },
      ['privateKey must come with'],
    ],
    ['an unknown property', { ...pairOf(expired), password: 'x' }, ['password is not known here']],
    ['a certificate that is too long', { certificate: 'A'.repeat(32_769) }, ['certificate must be']],
    [
      'a certificate that is not text',
      { certificate: 5, passphrase: {} },
      ['certificate must be a string', 'passphrase must be'],
    ],
  ])('400 validation_failed for %s, with the names of the fields in the message', async (_, body, sentences) => {
    const response = await node.save(user, body);
    expect(response.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    for (const sentence of sentences) expect(response.body.message).toContain(sentence);
    expect(await found(user)).toBeNull();
  });

  it('400 validation_failed for a certificate without a known key, with the tried keys in the message', async () => {
    await node.save(user, pairOf(aCertificate()));
    await request(user);
    const { body } = await node.save(user, { certificate: pemOf(aCertificate()) });
    expect(body.code).toBe('validation_failed');
    expect(body.message).toContain('the key of the request of 2026-11-20T10:00:0');
    expect(body.message).toContain('and the key of the present certificate');
  });

  it('403 forbidden for changes by members who are not admins and by keys without account:write', async () => {
    const [reader, writer] = [
      await node.createKey(user, { scopes: ['account:read'] }),
      await node.createKey(user, { scopes: ['account:write'] }),
    ];
    const statuses = async (token: string) => {
      const calls = [
        await node.call('get', PATH, { token }),
        await node.call('post', `${PATH}/request`, { token }),
        await node.call('put', PATH, { token, body: pairOf(aCertificate()) }),
        await node.call('delete', PATH, { token }),
      ];
      return calls.map(({ status }) => status);
    };
    expect(await statuses(reader.key)).toEqual([200, 403, 403, 403]);
    expect(await statuses(writer.key)).toEqual([403, 200, 200, 204]);
    await node.sql('UPDATE account_member SET is_admin = false WHERE account_id = $1', [user.accountId]);
    expect(await statuses(user.accessToken)).toEqual([200, 403, 403, 403]);
  });
});

describe('a certificate signing request', () => {
  it('a certificate signing request waits for its certificate, which is then uploaded without a key', async () => {
    const certificate = await issuedFor(user);
    const { body } = await read(user);
    expect(body.request).toEqual({
      request: expect.stringContaining('BEGIN CERTIFICATE REQUEST'),
      createdAt: '2026-11-20T10:00:02.000Z',
    });
    const cer = Buffer.from(JSON.stringify(certificate)).toString('base64');
    expect((await node.save(user, { certificate: cer })).body).toMatchObject({ source: 'account', request: null });
    expect((await found(user))?.privateKeyPem).toBe(keyOf(certificate));
  });

  it('a newer certificate signing request replaces the older one', async () => {
    const older = await issuedFor(user);
    const newer = await issuedFor(user);
    expect((await node.save(user, { certificate: pemOf(older) })).status).toBe(400);
    expect((await node.save(user, { certificate: pemOf(newer) })).status).toBe(200);
  });

  it('a certificate signing request stays open if a certificate is uploaded together with a private key', async () => {
    await issuedFor(user);
    expect((await node.save(user, pairOf(aCertificate()))).body.request).not.toBeNull();
  });
});

describe('removing a certificate', () => {
  it('the operator’s certificate signs the passes again after a removal, and the wallets are notified', async () => {
    await node.save(user, pairOf(aCertificate()));
    await changes(user);
    expect((await remove(user)).status).toBe(204);
    expect((await read(user)).body).toMatchObject({ source: 'operator', teamIdentifier: 'OPERATOR01' });
    expect(await changes(user)).toBe(1);
  });

  it('404 not_found for removing a certificate that does not exist', async () => {
    expect((await remove(user)).body).toMatchObject({ statusCode: 404, code: 'not_found' });
  });

  it('409 invalid_transition for removing a certificate while devices are registered, with their number', async () => {
    await node.save(user, pairOf(aCertificate()));
    await node.registerDevice(user, 'pass.com.example.club');
    await node.registerDevice(user, 'pass.com.example.club');
    const { body } = await remove(user);
    expect(body).toMatchObject({ statusCode: 409, code: 'invalid_transition' });
    expect(body.message).toContain('2 devices are registered');
    expect(await found(user)).not.toBeNull();
  });
});

describe('the shown certificate', () => {
  it('the account’s and the operator’s certificates are shown first as expiring, and later as expired', async () => {
    const own = await CertificatesNode.start({ operator: { expiresAt: new Date('2027-02-01T00:00:00.000Z') } });
    const [customer, guest] = [await own.register(), await own.register()];
    await own.save(customer, pairOf(aCertificate({ expiresAt: '2027-01-20T10:00:00.000Z' })));
    const key = await own.createKey(customer, { scopes: ['account:read'] });
    const guestKey = await own.createKey(guest, { scopes: ['account:read'] });
    const states = async () => {
      const bodies = [key, guestKey].map(async ({ key: token }) => (await own.call('get', PATH, { token })).body);
      return (await Promise.all(bodies)).map(({ source, status, daysLeft }) => [source, status, daysLeft].join(' '));
    };
    expect(await states()).toEqual(['account valid 61', 'operator valid 72']);
    own.clock.set('2026-12-21T10:00:00.000Z');
    expect(await states()).toEqual(['account expiring 30', 'operator expiring 41']);
    own.clock.set('2027-02-02T10:00:00.000Z');
    expect(await states()).toEqual(['account expired 0', 'operator expired 0']);
    const [mine, theirs] = await Promise.all(
      [key, guestKey].map(async ({ key: token }) => (await own.call('get', PATH, { token })).body),
    );
    expect(mine).toMatchObject({ problem: expect.stringContaining('expired'), push: { state: 'off' } });
    expect(theirs).toMatchObject({ teamIdentifier: 'OPERATOR01', problem: expect.stringContaining('expired') });
    await own.stop();
  });

  it('the response shows stopped pushes of the current certificate, but not of another certificate or account', async () => {
    const { body } = await node.save(user, pairOf(aCertificate()));
    const openCircuit = (fingerprint: string, owner = user.accountId) =>
      node.sql(
        `INSERT INTO circuit_breaker (account_id, fingerprint, receiver, reason, since, retry_at)
         VALUES ($1, $2, 'apple', 'BadCertificate', '2026-11-20T09:00:00Z', '2026-11-20T11:00:00Z')
         ON CONFLICT DO NOTHING`,
        [owner, fingerprint],
      );
    await openCircuit('another');
    await openCircuit(body.fingerprint, 'acct_another');
    expect((await read(user)).body.push.state).toBe('on');
    await openCircuit(body.fingerprint);
    expect((await read(user)).body.push).toEqual({
      state: 'halted',
      reason: 'BadCertificate',
      since: '2026-11-20T09:00:00.000Z',
      retryAt: '2026-11-20T11:00:00.000Z',
    });
  });
});

describe('two accounts at the same time', () => {
  /** Blocks one reader method. @returns a function that unblocks it */
  function hold(method: 'read' | 'createRequest') {
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const real = node.reader[method].bind(node.reader) as (...values: unknown[]) => Promise<never>;
    const spy = jest.spyOn(node.reader, method).mockImplementation(async (...values: unknown[]) => {
      const result = await real(...values);
      if (spy.mock.calls.length < 2) await held;
      return result;
    });
    return () => end();
  }

  it.each([
    ['keys are made', 'createRequest' as const, (owner: Registered) => request(owner)],
    ['certificates are read', 'read' as const, (owner: Registered) => node.save(owner, pairOf(aCertificate()))],
  ])('%s for one account even while many requests of another account are waiting', async (_, method, ask) => {
    const stranger = await node.register();
    const end = hold(method);
    const waiting = Array.from({ length: 6 }, () => ask(user).then(({ status }) => status));
    while ((node.reader[method] as jest.Mock).mock.calls.length === 0) await new Promise(setImmediate);
    expect((await ask(stranger)).status).toBe(200);
    end();
    expect(await Promise.all(waiting)).toEqual(Array(6).fill(200));
    jest.restoreAllMocks();
  });

  it('429 rate_limited for an account that uploads too many certificates at a time, but not for another account', async () => {
    const stranger = await node.register();
    const end = hold('read');
    const save = (owner: Registered) => node.save(owner, pairOf(aCertificate())).then(({ status }) => status);
    const statuses = Array.from({ length: 10 }, () => save(user));
    expect(await Promise.race(statuses)).toBe(429);
    expect(await save(stranger)).toBe(200);
    end();
    expect((await Promise.all(statuses)).sort()).toEqual([...Array(9).fill(200), 429]);
    jest.restoreAllMocks();
  });
});
