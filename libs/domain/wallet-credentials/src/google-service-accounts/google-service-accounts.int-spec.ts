import { WalletUnavailable } from '@passwright/core';
import type { Registered } from '../credentials-node.fixtures.js';
import {
  aKeyFile,
  fingerprintOf,
  ISSUER,
  masterKey,
  operator,
  OTHER_ISSUER,
  pkcs8,
  rsaKey,
  ServiceAccountsNode,
} from '../google-service-accounts.fixtures.js';

let node: ServiceAccountsNode;
let user: Registered;

beforeAll(async () => (node = await ServiceAccountsNode.start()));
afterAll(() => node.stop());
beforeEach(async () => {
  user = await node.register();
  node.google.respond = () => Promise.resolve(null);
});

const renewedFile = () => aKeyFile({ private_key: pkcs8(rsaKey('second')), private_key_id: 'second' });
const changeJobs = `FROM graphile_worker._private_jobs job USING graphile_worker._private_tasks task
  WHERE task.id = job.task_id AND task.identifier = 'google-service-account.changed'
    AND job.payload ->> 'accountId' = $1`;
/** Returns the start times of the jobs added since the last call. */
const changes = async ({ accountId }: Registered): Promise<string[]> => {
  const rows = await node.sql(`WITH taken AS (DELETE ${changeJobs} RETURNING job.run_at) SELECT * FROM taken`, [
    accountId,
  ]);
  return rows.map(({ run_at }) => (run_at as Date).toISOString());
};

describe('an uploaded service account', () => {
  it('an uploaded service account writes the passes, is tested immediately, and is shown without its key', async () => {
    const { status, body } = await node.save(user);
    const shown = {
      source: 'account',
      issuerId: ISSUER,
      clientEmail: 'passes@example-club.iam.gserviceaccount.com',
      development: false,
      uploadedAt: node.clock.now().toISOString(),
      state: 'working',
      problem: null,
      retryAt: null,
    };
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...shown, check: { works: true, problem: null } },
    });
    expect((await node.read(user)).body).toEqual(shown);
    const credential = {
      issuerId: ISSUER,
      clientEmail: 'passes@example-club.iam.gserviceaccount.com',
      privateKeyId: '0123456789abcdef0123456789abcdef01234567',
      privateKeyPem: pkcs8(rsaKey('first')),
    };
    expect(await node.find(user)).toEqual(credential);
    expect(node.google.checked.at(-1)).toEqual(credential);
  });

  it.each<[string, () => Promise<string | null>]>([
    ['Google rejects it', () => Promise.resolve('The service account is no user of the issuer.')],
    ['Google is out of reach', () => Promise.reject(new WalletUnavailable('Google does not respond.'))],
  ])('an uploaded service account is stored even if %s, and the response contains the problem', async (_, response) => {
    node.google.respond = response;
    const { status, body } = await node.save(user);
    expect(status).toBe(200);
    expect(body.check).toEqual({ works: false, problem: expect.stringMatching(/issuer|respond/) });
    expect(await node.find(user)).not.toBeNull();
  });

  it('the test of an uploaded service account does not block the account, even if Google is slow', async () => {
    node.google.respond = async () => {
      await node.sql(`UPDATE account SET name = 'Meanwhile' WHERE id = $1`, [user.accountId]);
      return null;
    };
    expect((await node.save(user)).status).toBe(200);
  });

  it('an uploaded service account is encrypted in the database, and only the account itself can decrypt it', async () => {
    const other = await node.register();
    await Promise.all([node.save(user), node.save(other)]);
    const [row] = await node.sql('SELECT private_key FROM google_service_account WHERE account_id = $1', [
      user.accountId,
    ]);
    const der = rsaKey('first').export({ type: 'pkcs8', format: 'der' });
    expect(row.private_key.includes('PRIVATE KEY') || row.private_key.includes(der.subarray(-64))).toBe(false);
    await node.sql('UPDATE google_service_account SET private_key = $2 WHERE account_id = $1', [
      other.accountId,
      row.private_key,
    ]);
    node.clock.advance(2);
    await expect(node.find(other)).rejects.toThrow(WalletUnavailable);
    expect((await node.read(other)).body).toMatchObject({
      source: 'account',
      issuerId: ISSUER,
      state: 'halted',
      problem: expect.stringContaining('cannot be opened'),
      retryAt: null,
    });
  });

  it('an uploaded service account takes effect immediately on its node, and within a second on other nodes', async () => {
    const other = await ServiceAccountsNode.start();
    expect([await node.find(user), await other.find(user)]).toEqual([null, null]);
    await node.save(user);
    expect(await node.find(user)).not.toBeNull();
    expect(await other.find(user)).toBeNull();
    other.clock.advance(1);
    const seen = await other.find(user);
    expect(seen).toEqual(await node.find(user));
    other.clock.advance(1);
    // The node returns the same object, so that values cached for it, such as a token, stay cached.
    expect(await other.find(user)).toBe(seen);
    expect((await other.read(user)).body.source).toBe('account');
    expect(await other.find(user)).toBe(seen);
    await node.remove(user);
    // The route returns the current issuer, even if this node has looked up the service account just before.
    expect((await other.read(user)).body.source).toBe('operator');
    await other.stop();
  });

  it('503 wallet_unavailable with an explanation if the master key of the service account is missing', async () => {
    const without = await ServiceAccountsNode.start({ masterKeys: [masterKey('another')] });
    await node.save(user);
    await expect(without.find(user)).rejects.toThrow('encrypted under the master key "first"');
    expect((await without.read(user)).body).toMatchObject({ state: 'halted', issuerId: ISSUER });
    await without.save(user);
    expect((await without.read(user)).body).toMatchObject({ state: 'working' });
    await without.stop();
  });
});

describe('a changed service account', () => {
  it('stopped writes resume once every node uses a new key, but do not resume for the same key file', async () => {
    const seen = () => new Date(node.clock.now().getTime() + 1000).toISOString();
    await node.save(user);
    expect(await changes(user)).toEqual([seen()]);
    await node.save(user, { serviceAccount: JSON.stringify(aKeyFile()) });
    expect(await changes(user)).toEqual([]);
    await node.save(user, { serviceAccount: renewedFile() });
    expect(await changes(user)).toEqual([seen()]);
    expect((await node.find(user))?.privateKeyPem).toBe(pkcs8(rsaKey('second')));
    await node.save(user, { serviceAccount: renewedFile(), issuerId: OTHER_ISSUER });
    expect(await changes(user)).toEqual([seen()]);
    await node.remove(user);
    expect(await changes(user)).toEqual([seen()]);
  });

  it('409 invalid_transition for another issuer while passes are at Google, with the remedy in the message', async () => {
    await node.save(user);
    await node.addResource(user, ISSUER);
    await changes(user);
    const { status, body } = await node.save(user, { issuerId: OTHER_ISSUER });
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'invalid_transition' });
    for (const word of [ISSUER, OTHER_ISSUER, 'never update again', '"replaceIssuer": true']) {
      expect(body.message).toContain(word);
    }
    expect((await node.find(user))?.issuerId).toBe(ISSUER);
    expect(await changes(user)).toEqual([]);

    expect((await node.save(user, { issuerId: OTHER_ISSUER, replaceIssuer: true })).status).toBe(200);
    expect((await node.find(user))?.issuerId).toBe(OTHER_ISSUER);
    // A new key under an accepted issuer needs no confirmation.
    expect((await node.save(user, { issuerId: OTHER_ISSUER, serviceAccount: renewedFile() })).status).toBe(200);
  });

  it('409 invalid_transition for the first issuer while passes are at Google under the operator’s issuer', async () => {
    await node.addResource(user, operator.issuerId);
    expect((await node.save(user)).body).toMatchObject({ code: 'invalid_transition', statusCode: 409 });
    expect((await node.save(user, { issuerId: operator.issuerId })).status).toBe(200);
  });

  it('another issuer is accepted if Google has no passes of the account', async () => {
    await node.addResource(user, operator.issuerId, false);
    expect((await node.save(user)).status).toBe(200);
  });

  it('404 not_found for removing a service account that does not exist', async () => {
    expect((await node.remove(user)).body).toMatchObject({ statusCode: 404, code: 'not_found' });
    expect(await changes(user)).toEqual([]);
  });

  it('the operator’s issuer writes the passes again after the service account was removed', async () => {
    await node.save(user);
    expect((await node.remove(user)).status).toBe(204);
    expect((await node.read(user)).body).toMatchObject({
      source: 'operator',
      issuerId: operator.issuerId,
      clientEmail: operator.clientEmail,
      uploadedAt: null,
    });
    expect(await node.find(user)).toBeNull();
  });
});

describe('the shown issuer', () => {
  it('the response shows the development issuer if there is no other issuer', async () => {
    const inDevelopment = await ServiceAccountsNode.start({ operator: { ...operator, development: true } });
    const developer = await inDevelopment.register();
    expect((await inDevelopment.read(developer)).body).toMatchObject({ source: 'development', development: true });
    await inDevelopment.stop();
  });

  it('the response shows that writes are halted while Google rejects the credential', async () => {
    await node.save(user);
    const fingerprint = fingerprintOf((await node.find(user))!);
    const state = async () => (await node.read(user)).body.state;
    const { etag } = (await node.read(user)).headers;
    await node.openCircuit(user.accountId, 'another');
    await node.openCircuit('acc_another', fingerprint);
    expect(await state()).toBe('working');
    await node.openCircuit(user.accountId, fingerprint);
    const { body, headers } = await node.read(user);
    expect(body).toMatchObject({
      state: 'halted',
      problem: 'permissionDenied',
      retryAt: '2026-11-20T11:00:00.000Z',
    });
    expect(headers.etag).not.toBe(etag);
    await node.save(user, { serviceAccount: renewedFile() });
    expect(await state()).toBe('working');
    await node.remove(user);
    await node.openCircuit('', operator.fingerprint);
    expect(await state()).toBe('halted');
    await node.sql(`DELETE FROM circuit_breaker WHERE account_id = '' AND receiver = 'google'`, []);
  });
});

describe('invalid uploads and callers', () => {
  const secret = 'MIIEvQ-this-is-secret';
  it.each<[string, object, string[]]>([
    [
      'an empty request',
      { issuerId: undefined, serviceAccount: undefined },
      ['issuerId is required', 'serviceAccount must be the key'],
    ],
    ['an issuer id as a number', { issuerId: 3388000000 }, ['issuerId must be a string']],
    [
      'a merchant id as the issuer id',
      { issuerId: 'BCR2DN4T' },
      ['issuerId must be 10 to 20 digits', 'client_id', 'Cloud project'],
    ],
    ['the client_id as the issuer id', { issuerId: '112233445566778899001' }, ['issuerId must be']],
    ['a list as the key file', { serviceAccount: [aKeyFile()] }, ['serviceAccount must be the key file']],
    ['a file that is too long', { serviceAccount: { x: 'x'.repeat(20_000) } }, ['at most 16384 characters']],
    [
      'a damaged key',
      { serviceAccount: aKeyFile({ private_key: secret }) },
      ['serviceAccount.private_key must be PEM'],
    ],
    ['an unknown property', { private_key: secret }, ['private_key is not known here']],
    ['a flag that is not a boolean', { replaceIssuer: 'yes' }, ['replaceIssuer must be a boolean value']],
  ])('400 validation_failed for %s, with the names of the fields in the message', async (_, body, sentences) => {
    const asked = node.google.checked.length;
    const response = await node.save(user, body);
    expect(response.body).toMatchObject({ statusCode: 400, code: 'validation_failed' });
    for (const sentence of sentences) expect(response.body.message).toContain(sentence);
    expect(response.text).not.toContain(secret);
    expect(await node.find(user)).toBeNull();
    expect(node.google.checked).toHaveLength(asked);
  });

  it('403 forbidden for changes by members who are not admins and by keys without account:write', async () => {
    const [reader, writer] = [
      await node.createKey(user, { scopes: ['account:read'] }),
      await node.createKey(user, { scopes: ['account:write'] }),
    ];
    const statuses = async (token: string) => {
      const body = { issuerId: ISSUER, serviceAccount: aKeyFile() };
      const calls = [
        await node.call('get', token),
        await node.call('put', token, body),
        await node.call('delete', token),
      ];
      return calls.map(({ status }) => status);
    };
    expect(await statuses(reader.key)).toEqual([200, 403, 403]);
    expect(await statuses(writer.key)).toEqual([403, 200, 204]);
    await node.sql('UPDATE account_member SET is_admin = false WHERE account_id = $1', [user.accountId]);
    expect(await statuses(user.accessToken)).toEqual([200, 403, 403]);
  });
});
