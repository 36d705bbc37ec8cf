import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Database } from '@passwright/database';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountDirectory } from '../accounts/account-directory.repository.js';
import { AccountsNode, masterKeys, type Registered } from '../accounts.fixtures.js';
import { InvitesRepository } from '../invites/invites.repository.js';
import { IdentitiesRepository } from '../oidc/identities.repository.js';
import { OidcModule } from '../oidc/oidc.module.js';
import { BackgroundEncryption } from '../personal-data/background-encryption.cron.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { UsersRepository } from './users.repository.js';

const running = () => ({ signal: new AbortController().signal }) as never;

/** `clear` is a node that does not encrypt yet, as during an update; `node` encrypts. */
let clear: AccountsNode;
let node: AccountsNode;
beforeAll(async () => {
  clear = await AccountsNode.start({ personalData: { masterKeys, encrypts: false } });
  const oidc = OidcModule.forRoot({ baseUrl: 'https://passes.example.com', provider: null });
  node = await AccountsNode.start({ personalData: { masterKeys, encrypts: true } }, { more: [oidc] });
});
afterAll(() => Promise.all([clear, node].map((each) => each.stop())));
afterEach(() => jest.restoreAllMocks());

const sql = <Row>(text: string, values: unknown[] = []) => node.app.get(DataSource).query<Row[]>(text, values);
const encrypt = () => node.app.get(BackgroundEncryption).run(running());
const anEmail = () => `Ada-${randomUUID()}@example.com`;
const login = (on: AccountsNode, { email, password }: Pick<Registered, 'email' | 'password'>) =>
  on.call('post', '/v1/auth/login', { body: { email, password } });
const me = async (on: AccountsNode, { accessToken: token }: Registered) =>
  (await on.call('get', '/v1/auth/me', { token })).body as { uid: string; name: string; email: string };
const rowOf = async (uid: string) =>
  (await sql<{ row: string }>('SELECT u::text AS row FROM app_user u WHERE uid = $1', [uid]))[0]?.row ?? '';

describe('an encrypted user', () => {
  it('the database stores the name and e-mail of a user encrypted, and every node can still read them', async () => {
    for (const from of [clear, node]) {
      const user = await from.register({ email: anEmail(), name: 'Ada Byron' });
      if (from === clear) await encrypt();
      const { uid } = await me(node, user);
      expect(await rowOf(uid)).not.toMatch(/byron|example/i);
      for (const on of [clear, node]) {
        expect(await me(on, user)).toMatchObject({ email: user.email, name: 'Ada Byron' });
        expect((await login(on, { ...user, email: user.email.toUpperCase() })).status).toBe(200);
      }
      const { accessToken: token } = user;
      await node.call('patch', '/v1/auth/me', { token, body: { name: 'Ada King' } });
      expect(await me(clear, user)).toMatchObject({ email: user.email, name: 'Ada King' });
      expect(await rowOf(uid)).not.toMatch(/\Wking\W|example/i);
    }
  });

  it('409 email_taken for another user’s e-mail address, whether the users are encrypted or not', async () => {
    for (const [first, second] of [
      [clear, node],
      [node, clear],
    ] as const) {
      const { email } = await first.register({ email: anEmail() });
      await expect(second.register({ email: email.toUpperCase() })).rejects.toThrow('409');
    }
    const attempts = Array.from({ length: 3 }, async () => {
      const email = anEmail();
      const both = await Promise.allSettled([clear.register({ email }), node.register({ email })]);
      return both.map(({ status }) => status).sort();
    });
    expect(await Promise.all(attempts)).toEqual(new Array(3).fill(['fulfilled', 'rejected']));
  });

  it('a copy of a deleted user’s row is unreadable, because the user’s key was deleted with the user', async () => {
    const user = await node.register({ email: anEmail() });
    const { uid } = await me(node, user);
    const copy = await rowOf(uid);
    await sql('DELETE FROM session WHERE uid = $1', [uid]);
    await sql('DELETE FROM account_member WHERE uid = $1', [uid]);
    await sql('DELETE FROM app_user WHERE uid = $1', [uid]);
    expect(await sql(`SELECT FROM encryption_key WHERE id = 'user:' || $1`, [uid])).toEqual([]);
    await sql('INSERT INTO app_user SELECT ($1::text::app_user).*', [copy]);
    expect(await node.app.get(UsersRepository).namesOf([uid])).toEqual(new Map([[uid, '']]));
    const rename = (tx: EntityManager) => node.app.get(UsersRepository).change(tx, uid, { name: 'Ada King' });
    await expect(node.app.get(Database).transaction(rename)).rejects.toMatchObject({ statusCode: 503 });
    expect(await rowOf(uid)).toBe(copy);
    await sql('DELETE FROM app_user WHERE uid = $1', [uid]);
  });

  it('the operator finds a user and their account by the whole e-mail, ignoring case', async () => {
    const user = await node.register({ email: anEmail(), name: 'Ada Byron' });
    const find = async (text: string) => (await node.app.get(AccountDirectory).list(text, 5)).map(({ id }) => id);
    expect(await find(user.email.toUpperCase())).toEqual([user.accountId]);
    expect(await find(user.email.slice(1))).toEqual([]);
    const { body } = await node.call('get', '/v1/account', { token: user.accessToken });
    expect(JSON.stringify(body)).toContain(user.email);
  });
});

describe('an encrypted invitation or identity', () => {
  it('the service encrypts invited e-mail addresses and identity subjects, including existing rows', async () => {
    const owner = await node.register({ email: anEmail(), name: 'Ada Byron' });
    const subject = anEmail();
    const email = anEmail();
    const invited = await clear.call('post', '/v1/account/invite', { token: owner.accessToken, body: { email } });
    const { uid } = await me(node, owner);
    await sql(`INSERT INTO user_identity (issuer, subject, uid, created_at) VALUES ('x', $1, $2, now())`, [
      subject,
      uid,
    ]);
    const rows = async () =>
      JSON.stringify([
        await sql('SELECT i::text AS row FROM invite i WHERE account_id = $1', [owner.accountId]),
        await sql('SELECT i::text AS row FROM user_identity i WHERE uid = $1', [uid]),
      ]);
    expect(await rows()).toContain('@example.com');

    await encrypt();
    const identities = node.app.get(IdentitiesRepository);
    expect(await rows()).not.toContain('@example.com');
    const shown = await clear.call('get', `/v1/account/invites/${invited.body.code}`);
    expect(shown.body).toMatchObject({ email, invitedBy: 'Ada Byron' });
    const again = await node.call('post', '/v1/account/invite', { token: owner.accessToken, body: { email } });
    expect(again.status).toBe(201);
    const { id } = { id: invited.body.code.slice(0, 22) as string };
    const replaced = await clear.app.get(InvitesRepository).find({ accountId: owner.accountId, id });
    expect(replaced).toMatchObject({ email, endedBy: 'replaced' });
    const found = await node.app
      .get(Database)
      .transaction((tx) => identities.findUid(tx, { issuer: 'x', subject: subject }));
    expect(found).toBe(uid);
    // The stored hash of a subject must not be enough to sign in.
    const [stored] = await sql<{ subject: string }>('SELECT subject FROM user_identity WHERE uid = $1', [uid]);
    const forged = { issuer: 'x', subject: stored?.subject ?? '' };
    expect(await node.app.get(Database).transaction((tx) => identities.findUid(tx, forged))).toBeNull();
  });
});

it('the background encryption skips an invitation or identity that already has an encrypted copy', async () => {
  const owner = await node.register({ email: anEmail() });
  const { accountId } = owner;
  const { uid } = await me(node, owner);
  const email = anEmail().toLowerCase();
  const subjects = ['a', 'b'].map((first) => `${first}-${randomUUID()}`);
  const link = (subject?: string) =>
    sql(`INSERT INTO user_identity (issuer, subject, uid, created_at) VALUES ('x', $1, $2, now())`, [subject, uid]);
  const invite = (id: string, address: string) =>
    sql(
      `INSERT INTO invite (account_id, id, email, is_admin, invited_by, expires_at, created_at)
       VALUES ($1, $2, $3, false, $4, now() + interval '1 day', now())`,
      [accountId, id, address, uid],
    );
  await invite('1-twin', email);
  await link(subjects[0]);
  await encrypt();
  // A node of an older version adds the same invitation and identity again, unencrypted.
  await invite('2-twin', email);
  await invite('3-other', anEmail());
  await link(subjects[0]);
  await link(subjects[1]);
  const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  await encrypt();
  expect(await sql(`SELECT id FROM invite WHERE account_id = $1 AND personal IS NULL`, [accountId])).toEqual([
    { id: '2-twin' },
  ]);
  expect(await sql(`SELECT subject FROM user_identity WHERE uid = $1 AND NOT is_hashed`, [uid])).toEqual([
    { subject: subjects[0] },
  ]);
  expect(log.mock.calls.map(([message]) => String(message)).sort()).toEqual([
    `An identity of user ${uid} at x is linked twice. It stays in clear.`,
    `Invitation 2-twin of ${accountId} has the address of another. It stays in clear.`,
  ]);
  await sql(`DELETE FROM user_identity WHERE uid = $1`, [uid]);
  await sql(`DELETE FROM invite WHERE account_id = $1`, [accountId]);
});

describe('background encryption of users', () => {
  it('the service creates a key for every account without a key', async () => {
    const { accountId } = await clear.register({ email: anEmail() });
    const keys = node.app.get(PersonalData);
    expect(await keys.find(accountId)).toBeNull();
    await keys.createKeys(running());
    expect(await keys.find(accountId)).toMatchObject({ isComplete: false });
  });

  it('a node that does not create encryption keys still uses the existing key of an account', async () => {
    const { accountId } = await node.register({ email: anEmail() });
    const write = (tx: EntityManager) => clear.app.get(PersonalData).findForWrite(accountId, tx);
    expect(await clear.app.get(Database).transaction(write)).not.toBeNull();
  });

  it('the service creates no new key for an account that has lost its key but has encrypted records', async () => {
    const { accountId, accessToken: token } = await node.register({ email: anEmail() });
    await node.call('post', '/v1/account/invite', { token, body: { email: anEmail() } });
    await sql('DELETE FROM encryption_key WHERE account_id = $1', [accountId]);
    await node.app.get(PersonalData).createKeys(running());
    expect(await sql('SELECT FROM encryption_key WHERE account_id = $1', [accountId])).toEqual([]);
    const write = (tx: EntityManager) => clear.app.get(PersonalData).findForWrite(accountId, tx);
    expect(await clear.app.get(Database).transaction(write)).toBeNull();
  });

  it('the service encrypts every user once, with one key, even after a crash in the middle of a batch', async () => {
    const mark = randomUUID();
    await sql(
      `INSERT INTO app_user (uid, email, name, created_at)
       SELECT 'usr_' || $1::text || n, n || $1::text || '@example.com', 'Name ' || n, now() FROM generate_series(1, 250) n`,
      [mark],
    );
    const stateOf = async () => {
      const [state] = await sql<{ clear: number; keys: number }>(
        `SELECT (SELECT count(*)::int FROM app_user WHERE uid LIKE 'usr_' || $1 || '%' AND personal IS NULL) AS clear,
           (SELECT count(*)::int FROM encryption_key WHERE id LIKE 'user:usr_' || $1 || '%') AS keys`,
        [mark],
      );
      return state;
    };
    const repository = node.app.get(UsersRepository);
    const whole = repository.encrypt.bind(repository);
    let encrypted = 0;
    jest.spyOn(repository, 'encrypt').mockImplementation(async (tx, user) => {
      const problem = await whole(tx, user);
      // Terminate the connection, as if the process were killed.
      if (++encrypted === 150) await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
      return problem;
    });
    await expect(encrypt()).rejects.toThrow();
    const { clear: left = 0, keys = 0 } = (await stateOf()) ?? {};
    expect([left > 0, left + keys]).toEqual([true, 250]);

    const next = await AccountsNode.start({ personalData: { masterKeys, encrypts: true } });
    await Promise.all([next, node].map((each) => each.app.get(BackgroundEncryption).run(running())));
    expect(await stateOf()).toEqual({ clear: 0, keys: 250 });
    const uids = Array.from({ length: 250 }, (_, n) => `usr_${mark}${n + 1}`);
    const names = await next.app.get(UsersRepository).namesOf(uids);
    expect(uids.map((uid) => names.get(uid))).toEqual(uids.map((_, n) => `Name ${n + 1}`));
    await next.stop();
  });
});
