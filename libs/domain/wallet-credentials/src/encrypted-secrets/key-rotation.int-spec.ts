import { Logger } from '@nestjs/common';
import { AccountCertificates, EncryptedSecrets, SecretBox, WalletUnavailable } from '@passwright/core';
import { jobsIdle, testDatabase } from '@passwright/testing';
import type { Registered } from '../credentials-node.fixtures.js';
import { aCertificate, CertificatesNode, keyOf, masterKey, pairOf, PATH } from '../apple-certificates.fixtures.js';
import { KeyRotationService } from './key-rotation.service.js';

/* Master keys that only this spec uses, to separate its secrets from those of other specs. */
const [oldKey, newKey] = [masterKey('rotation-old'), masterKey('rotation-new')];
let before: CertificatesNode;
beforeAll(async () => (before = await CertificatesNode.start({ masterKeys: [oldKey] })));
afterAll(() => before.stop());

const found = (node: CertificatesNode, { accountId }: Registered) => node.get(AccountCertificates).find(accountId);

async function encryptedBytes(node: CertificatesNode, users: readonly Registered[]): Promise<Buffer[]> {
  const ids = users.map(({ accountId }) => accountId);
  const rows = await node.sql(
    `SELECT private_key FROM apple_certificate WHERE account_id = ANY ($1)
     UNION ALL SELECT private_key FROM apple_certificate_request WHERE account_id = ANY ($1)
     UNION ALL SELECT private_key FROM google_service_account WHERE account_id = ANY ($1)`,
    [ids],
  );
  return rows.map(({ private_key }) => private_key as Buffer);
}

/** Adds a service account with a recognisable private key, encrypted like other secrets of the node. */
async function addServiceAccount(node: CertificatesNode, { accountId }: Registered, privateKeyPem: string) {
  await node.sql(
    `INSERT INTO google_service_account (account_id, issuer_id, client_email, private_key, uploaded_at)
     VALUES ($1, '3388000000011111111', 'passes@example-club.iam.gserviceaccount.com', $2, now())`,
    [accountId, node.get(EncryptedSecrets).encrypt(accountId, 'google-service-account', privateKeyPem)],
  );
}

/** Adds webhooks with a current and a previous secret. */
async function addWebhooks(node: CertificatesNode, { accountId }: Registered, secrets: readonly string[]) {
  for (const [index, secret] of secrets.entries()) {
    const [present, previous] = [secret, `old ${secret}`].map((text) =>
      node.get(EncryptedSecrets).encrypt(accountId, 'webhook-secret', text),
    );
    await node.sql(
      `INSERT INTO webhook (account_id, id, secret, previous_secret, created_at, updated_at)
       VALUES ($1, $2, $3, $4, now(), now())`,
      [accountId, `whk_${index}`, present, previous],
    );
  }
}

async function webhookSecrets(node: CertificatesNode, { accountId }: Registered): Promise<unknown[]> {
  const rows = await node.sql('SELECT secret, previous_secret FROM webhook WHERE account_id = $1 ORDER BY id', [
    accountId,
  ]);
  const open = (encrypted: unknown) =>
    node.get(EncryptedSecrets).openSecret(accountId, 'webhook-secret', encrypted as Buffer);
  return rows.flatMap(({ secret, previous_secret }) => [open(secret), open(previous_secret)]);
}

/** Adds a recognisable key for the personal data of an account. */
async function addEncryptionKey(node: CertificatesNode, { accountId }: Registered, key: string) {
  const wrapped = node.get(EncryptedSecrets).encrypt(accountId, 'encryption-key', key);
  const sql = `INSERT INTO encryption_key (account_id, id, wrapped) VALUES ($1, 'root', $2), ($1, 'member:1', NULL)`;
  await node.sql(sql, [accountId, wrapped]);
}

async function encryptionKeys(node: CertificatesNode, { accountId }: Registered): Promise<unknown[]> {
  const rows = await node.sql('SELECT wrapped FROM encryption_key WHERE account_id = $1 ORDER BY id', [accountId]);
  const open = (wrapped: unknown) =>
    node.get(EncryptedSecrets).openSecret(accountId, 'encryption-key', wrapped as Buffer);
  return rows.map(({ wrapped }) => wrapped && open(wrapped));
}

async function serviceAccountKey(node: CertificatesNode, { accountId }: Registered): Promise<unknown> {
  const [row] = await node.sql('SELECT private_key FROM google_service_account WHERE account_id = $1', [accountId]);
  return node.get(EncryptedSecrets).open(accountId, 'google-service-account', row.private_key as Buffer);
}

/** Collects the messages logged while the work runs. */
async function logged(level: 'error' | 'log', work: () => Promise<unknown>): Promise<string[]> {
  const log = jest.spyOn(Logger.prototype, level).mockImplementation();
  await work();
  const lines = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  return lines;
}

it('a node starts even if a stored secret is unreadable, and does not change the stored bytes', async () => {
  const user = await before.register();
  const sql = `INSERT INTO webhook (account_id, id, secret, created_at, updated_at) VALUES ($1, 'whk_none', '', now(), now())`;
  await before.sql(sql, [user.accountId]);
  const node = await CertificatesNode.start({ masterKeys: [oldKey] });
  await node.get(KeyRotationService).reEncrypt();
  const [row] = await before.sql(`SELECT secret FROM webhook WHERE account_id = $1`, [user.accountId]);
  expect(row).toEqual({ secret: Buffer.alloc(0) });
  await node.stop();
});

describe('replacing a master key', () => {
  it('an old master key can be removed after the nodes have re-encrypted every secret', async () => {
    const users: Registered[] = [];
    const certificate = aCertificate();
    for (let index = 0; index < 3; index++) {
      const user = await before.register();
      await before.save(user, pairOf(certificate));
      await before.call('post', `${PATH}/request`, { token: user.accessToken });
      await addServiceAccount(before, user, `key of ${user.accountId}`);
      users.push(user);
    }
    const [first] = users as [Registered];
    await addWebhooks(before, first, ['one', 'two']);
    await addEncryptionKey(before, first, 'key of personal data');
    // Add more secrets than fit into two batches.
    const bytes = (await encryptedBytes(before, [first]))[0];
    await before.sql(
      `WITH accounts AS (INSERT INTO account (id, name, created_at)
         SELECT 'acc_rotation' || n, 'Rotation', now() FROM generate_series(1, 120) n RETURNING id)
       INSERT INTO apple_certificate_request (account_id, request_pem, private_key, created_at)
         SELECT id, '', $1, now() FROM accounts`,
      [bytes],
    );
    const [one, two] = await Promise.all([1, 2].map(() => CertificatesNode.start({ masterKeys: [newKey, oldKey] })));
    const nodes = [one as CertificatesNode, two as CertificatesNode];
    expect((await found(nodes[0]!, first))?.privateKeyPem).toBe(keyOf(certificate));
    await Promise.all(nodes.map((node) => node.get(KeyRotationService).reEncrypt()));

    const after = new SecretBox([newKey]);
    const encrypted = await encryptedBytes(before, users);
    expect(encrypted).toHaveLength(9);
    expect(encrypted.map((each) => after.isCurrent(each))).toEqual(new Array(9).fill(true));
    const alone = await CertificatesNode.start({ masterKeys: [newKey] });
    for (const user of users) {
      expect((await found(alone, user))?.privateKeyPem).toBe(keyOf(certificate));
      expect(await serviceAccountKey(alone, user)).toEqual({ privateKeyPem: `key of ${user.accountId}` });
    }
    const secrets = ['one', 'old one', 'two', 'old two'].map((secret) => ({ secret }));
    expect(await webhookSecrets(alone, first)).toEqual(secrets);
    expect(await encryptionKeys(alone, first)).toEqual([null, { secret: 'key of personal data' }]);
    await before.sql(`DELETE FROM apple_certificate_request WHERE account_id LIKE 'acc_rotation%'`, []);
    const response = new SecretBox([oldKey]).encrypt('{}', { accountId: first.accountId, purpose: 'stored-response' });
    await before.sql(
      `INSERT INTO idempotency_key (account_id, key_hash, request_hash, status_code, sealed, created_at)
       VALUES ($1, '', '', 200, $2, now())`,
      [first.accountId, response],
    );
    const early = await logged('log', () => nodes[0]!.get(KeyRotationService).reEncrypt());
    expect(early).toEqual([expect.stringMatching(/^Stored responses .* keep them .* at most: rotation-old$/)]);
    await before.sql('DELETE FROM idempotency_key WHERE account_id = $1', [first.accountId]);
    const lines = await logged('log', () => nodes[0]!.get(KeyRotationService).reEncrypt());
    expect(lines).toEqual([expect.stringMatching(/can be dropped: rotation-old$/)]);
    await Promise.all([...nodes, alone].map((node) => node.stop()));
  });
});

it('a node runs a re-encryption that an earlier version queued under a former job name', async () => {
  const user = await before.register();
  await before.save(user, pairOf(aCertificate()));
  const node = await CertificatesNode.start({ masterKeys: [newKey, oldKey], run: true });
  await before.sql(`SELECT graphile_worker.add_job('master-keys.seal-anew')`, []);
  await jobsIdle((await testDatabase()).url, { tasks: ['master-keys.seal-anew'] });
  const encrypted = await encryptedBytes(before, [user]);
  expect(encrypted.map((each) => new SecretBox([newKey]).isCurrent(each))).toEqual([true]);
  await node.stop();
});

describe('a missing master key', () => {
  it('503 wallet_unavailable only for accounts whose secrets need a missing master key', async () => {
    const [user, other, third] = [await before.register(), await before.register(), await before.register()];
    await addServiceAccount(before, third, 'key');
    await before.save(user, pairOf(aCertificate()));
    await before.call('post', `${PATH}/request`, { token: user.accessToken });
    let without!: CertificatesNode;
    const lines = await logged('error', async () => {
      without = await CertificatesNode.start({ masterKeys: [newKey] });
    });
    expect(lines.filter((line) => line.includes('"rotation-old"'))).toEqual([
      expect.stringMatching(/^The master key "rotation-old" is missing, .* Accounts with such keys: 2\./),
    ]);
    const errors = await logged('error', async () => {
      await expect(found(without, user)).rejects.toThrow(WalletUnavailable);
      await expect(found(without, user)).rejects.toThrow('"rotation-old"');
      expect(await found(without, other)).toBeNull();
    });
    // The node logs the error only once, and not for every requested pass.
    expect(errors).toHaveLength(1);

    const { body } = await without.call('get', PATH, { token: user.accessToken });
    expect(body).toMatchObject({ source: 'account', status: 'valid', push: { state: 'off' } });
    expect(body.problem).toContain('"rotation-old"');
    await without.get(KeyRotationService).reEncrypt();
    expect(new SecretBox([oldKey]).isCurrent((await encryptedBytes(before, [user]))[0]!)).toBe(true);

    const alone = await without.save(user, { certificate: pairOf(aCertificate()).certificate });
    expect(alone.body.message).toContain('encrypted under the master key "rotation-old"');
    const repaired = await without.save(user, pairOf(aCertificate()));
    expect(repaired.body.problem).toBeNull();
    expect(await found(without, user)).not.toBeNull();
    await without.stop();
  });
});
