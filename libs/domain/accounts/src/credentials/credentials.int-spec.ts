import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { MailRejected } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { Passwords } from './passwords.service.js';
import { CredentialMailsHandlers } from './credential-mails.handlers.js';
import { UserCodesCron } from './user-codes.cron.js';

let node: AccountsNode;
let url: string;
let user: Registered;

beforeAll(async () => {
  Logger.overrideLogger(false);
  url = (await testDatabase()).url;
  node = await AccountsNode.start({}, { run: true });
});
afterAll(() => node.stop());
beforeEach(async () => {
  node.clock.set('2026-11-20T10:00:00.000Z');
  user = await node.register();
});

const tasks = ['password.forgotten', 'password.changed', 'email.change-asked', 'email.changed'];
const mailed = () => jobsIdle(url, { tasks });
const post = (path: string, body: object, token?: string) => node.call('post', `/v1/auth/${path}`, { body, token });
const login = async (email: string, password: string) => (await post('login', { email, password })).status;
const isIn = async ({ accessToken: token }: { accessToken: string }) =>
  (await node.call('get', '/routes/user', { token })).status === 200;
const sql = <T>(query: string, values: unknown[]) => node.app.get(DataSource).query<T>(query, values);
const uidOf = async ({ email }: { email: string }) =>
  (await sql<{ uid: string }[]>('SELECT uid FROM app_user WHERE email = $1', [email]))[0]?.uid ?? 'none';
const newPassword = 'a cat walked over my keyboard';

/** Returns the code from the link in the latest mail to an e-mail address. */
async function codeTo(email: string): Promise<string> {
  await mailed();
  const code = /^https:\/\/passes\.example\.com\/[a-z/]+\?code=([\w-]{43})$/m.exec(
    node.mailer.to(email).at(-1)?.text ?? '',
  );
  return code?.[1] ?? 'none';
}

async function forget(email: string): Promise<string> {
  expect((await post('password/forgot', { email })).status).toBe(202);
  return codeTo(email);
}

/** Sets the new password right after the service has checked the old one. */
function resetAfterCheck(code: string) {
  const passwords = node.app.get(Passwords);
  const check = passwords.check.bind(passwords);
  return jest.spyOn(passwords, 'check').mockImplementationOnce(async (password, find) => {
    const found = await check(password, find);
    expect((await post('password/reset', { code, password: newPassword })).status).toBe(204);
    return found;
  });
}

async function askFor(email: string): Promise<string> {
  const response = await post('email', { email, password: user.password }, user.accessToken);
  expect({ status: response.status, body: response.body }).toEqual({ status: 202, body: {} });
  return codeTo(email);
}

const actionsOf = async (accountId: string) =>
  (
    await sql<{ action: string; actor: string }[]>(
      `SELECT action, actor_id AS actor FROM audit_event WHERE account_id = $1 AND action ~ '^(password|email)' ORDER BY at`,
      [accountId],
    )
  ).map(({ action }) => action);

describe('a forgotten password', () => {
  it('a reset with the code of the mail sets a new password, ends every session and notifies the user', async () => {
    await forget(user.email.toUpperCase());
    const code = await codeTo(user.email);
    expect((await post('password/reset', { code, password: newPassword })).status).toBe(204);
    expect([await login(user.email, user.password), await login(user.email, newPassword)]).toEqual([401, 200]);
    expect(await isIn(user)).toBe(false);
    expect((await post('refresh', { refreshToken: user.refreshToken })).status).toBe(401);
    await mailed();
    expect(node.mailer.to(user.email).at(-1)?.subject).toBe('Your password was changed');
    expect(await actionsOf(user.accountId)).toEqual(['password.reset']);
  });

  it('the service rejects a login if a reset changes the password right after the password was checked', async () => {
    const slow = resetAfterCheck(await forget(user.email));
    expect(await login(user.email, user.password)).toBe(401);
    expect(await login(user.email, newPassword)).toBe(200);
    slow.mockRestore();
  });

  it('a password reset removes linked identities and open codes, which a stranger may have requested', async () => {
    const [uid, email] = [await uidOf(user), `${randomUUID()}@example.com`];
    await sql(`INSERT INTO user_identity (issuer, subject, uid, created_at) VALUES ('x', $1, $2, now())`, [email, uid]);
    const [confirm, code] = [await askFor(email), await forget(user.email)];
    expect((await post('password/reset', { code, password: newPassword })).status).toBe(204);
    expect(await sql('SELECT FROM user_identity WHERE uid = $1', [uid])).toEqual([]);
    expect((await post('email/confirm', { code: confirm })).status).toBe(401);
  });

  it('a reset mail goes to the new e-mail address if the user has just changed the address', async () => {
    const [uid, fresh] = [await uidOf(user), `${randomUUID()}@example.com`];
    await node.during(
      (tx) => tx.query('UPDATE app_user SET email = $2 WHERE uid = $1', [uid, fresh]),
      () => node.app.get(CredentialMailsHandlers).sendPasswordCode({ uid }),
    );
    expect([node.mailer.to(user.email).length, node.mailer.to(fresh).length]).toEqual([0, 1]);
  });

  it('401 for a user who switches or creates an account during a password reset, which ends all sessions', async () => {
    const uid = await uidOf(user);
    const paths: [string, object][] = [
      ['switch', { accountId: user.accountId }],
      ['accounts', { name: 'Second' }],
    ];
    for (const [path, body] of paths) {
      const again = (await post('login', { email: user.email, password: user.password })).body;
      const response = await node.during(
        async (tx) => {
          await tx.query('SELECT FROM app_user WHERE uid = $1 FOR NO KEY UPDATE', [uid]);
          await tx.query('DELETE FROM session WHERE uid = $1', [uid]);
        },
        () => post(path, body, again.accessToken),
      );
      expect([path, response.status]).toEqual([path, 401]);
      expect(await sql('SELECT FROM session WHERE uid = $1', [uid])).toEqual([]);
    }
    expect(await sql('SELECT FROM account_member WHERE uid = $1', [uid])).toHaveLength(1);
  });

  it('the service sets only one password for 50 simultaneous requests with the same code', async () => {
    const code = await forget(user.email);
    const passwords = Array.from({ length: 50 }, (_, n) => `password number ${n}`);
    const responses = await Promise.all(passwords.map((password) => post('password/reset', { code, password })));
    const winner = responses.findIndex(({ status }) => status === 204);
    expect(responses.filter(({ status, body }) => status === 401 && body.code === 'unauthorized')).toHaveLength(49);
    expect(await login(user.email, passwords[winner] ?? '')).toBe(200);
  });

  it('401 unauthorized for a reset code that was used, was replaced, is an hour old or is unknown', async () => {
    const [first, second] = [await forget(user.email), await forget(user.email)];
    const reset = async (code: string) => (await post('password/reset', { code, password: newPassword })).body.code;
    expect([await reset(first), await reset('x'.repeat(43))]).toEqual(['unauthorized', 'unauthorized']);
    expect([await reset(second), await reset(second)]).toEqual([undefined, 'unauthorized']);
    const third = await forget(user.email);
    node.clock.advance(3600);
    expect(await reset(third)).toBe('unauthorized');
  });

  it('a reset for an unregistered e-mail has the same response and the same kind of job, but sends no mail', async () => {
    const nobody = `${randomUUID()}@example.com`;
    const jobs = jest.spyOn(node.app.get(Jobs), 'add');
    const responses = [];
    for (const email of [user.email, nobody]) responses.push(await post('password/forgot', { email }));
    const payloads = jobs.mock.calls.map(([, { payload }]) => payload as { uid: string });
    jobs.mockRestore();
    await mailed();
    const shown = responses.map(({ status, text, headers: { date: _, ...headers } }) => ({ status, text, headers }));
    expect(shown[0]).toEqual(shown[1]);
    const anyUid = { uid: expect.stringMatching(/^usr_[0-9A-Za-z]{22}$/) };
    expect(payloads).toEqual([anyUid, anyUid]);
    expect(await forget(nobody)).toBe('none');
    expect(node.mailer.to(nobody)).toEqual([]);
  });

  it('the service sends the reset mail again, with another code, if the mail server did not accept it', async () => {
    node.mailer.failNext();
    const { email } = user;
    await post('password/forgot', { email });
    await mailed();
    expect(node.mailer.to(email)).toEqual([]);
    await sql('UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts = 1', []);
    const code = await codeTo(email);
    expect((await post('password/reset', { code, password: newPassword })).status).toBe(204);
  });

  it('the service does not send the reset mail again if the mail server rejects it permanently', async () => {
    node.mailer.failNext(new MailRejected('it returns 550'));
    await post('password/forgot', { email: user.email });
    await mailed();
    const waiting = await sql(
      `SELECT FROM graphile_worker._private_jobs WHERE payload->>'uid' = (SELECT uid FROM app_user WHERE email = $1)`,
      [user.email],
    );
    expect(waiting).toEqual([]);
  });

  it('a password reset sets a user’s first password, and the user can log in even after too many failed logins', async () => {
    await sql('UPDATE app_user SET password_hash = NULL WHERE email = $1', [user.email]);
    const from = '192.0.2.77';
    const body = { email: user.email, password: 'wrong' };
    for (let n = 0; n < 11; n++) await node.call('post', '/v1/auth/login', { body, from });
    expect((await node.call('post', '/v1/auth/login', { body, from })).status).toBe(429);
    const code = await forget(user.email);
    const reset = { code, password: newPassword };
    expect((await node.call('post', '/v1/auth/password/reset', { body: reset, from })).status).toBe(204);
    const right = { email: user.email, password: newPassword };
    expect((await node.call('post', '/v1/auth/login', { body: right, from })).status).toBe(200);
  });

  it('the service accepts a reset request after ten mails an hour to one e-mail, but delays the mail', async () => {
    node.clock.set(new Date().toISOString());
    for (const email of [user.email, `${randomUUID()}@example.com`]) {
      const statuses = [];
      for (let n = 0; n < 13; n++) statuses.push((await post('password/forgot', { email })).status);
      expect(statuses).toEqual(Array<number>(13).fill(202));
    }
    const uid = await uidOf(user);
    const later = 'WHERE key LIKE $1 AND run_at > now()';
    const key = `password.forgotten:${uid}:%`;
    expect(await sql(`SELECT FROM graphile_worker._private_jobs ${later}`, [key])).toHaveLength(1);
    await sql(`UPDATE graphile_worker._private_jobs SET run_at = now() ${later}`, [key]);
    const code = await codeTo(user.email);
    expect(node.mailer.to(user.email)).toHaveLength(11);
    expect((await post('password/reset', { code, password: newPassword })).status).toBe(204);
  });

  it('429 rate_limited for an IP address that requests more reset mails than its limit', async () => {
    const own = await AccountsNode.start({ attemptLimits: { passwordMailsPerAddress: { attempts: 2, seconds: 60 } } });
    const statuses = [];
    for (let n = 0; n < 3; n++) {
      const body = { email: `${randomUUID()}@example.com` };
      statuses.push((await own.call('post', '/v1/auth/password/forgot', { body, from: '192.0.2.79' })).status);
    }
    await own.stop();
    expect(statuses).toEqual([202, 202, 429]);
  });

  it('the service stores codes only as hashes, and deletes expired codes', async () => {
    const code = await forget(user.email);
    const rows = () =>
      sql<{ all: string }[]>(
        'SELECT c::text AS all FROM user_code c JOIN app_user USING (uid) WHERE app_user.email = $1',
        [user.email],
      );
    expect(JSON.stringify(await rows())).not.toContain(code);
    node.clock.advance(3601);
    await node.app.get(UserCodesCron).deleteExpired();
    expect(await rows()).toEqual([]);
  });
});

describe('a change of the password', () => {
  const change = (currentPassword: string) => post('password', { currentPassword, newPassword }, user.accessToken);

  it('a password change ends the other sessions and open codes of the user, and notifies the user', async () => {
    const other = (await post('login', { email: user.email, password: user.password })).body;
    const code = await forget(user.email);
    expect((await change(user.password)).status).toBe(204);
    expect([await isIn(user), await isIn(other)]).toEqual([true, false]);
    expect((await post('password/reset', { code, password: newPassword })).status).toBe(401);
    expect([await login(user.email, user.password), await login(user.email, newPassword)]).toEqual([401, 200]);
    await mailed();
    expect(node.mailer.to(user.email).at(-1)?.subject).toBe('Your password was changed');
    expect(await actionsOf(user.accountId)).toEqual(['password.changed']);
  });

  it('403 forbidden for a password change with a wrong password, which counts as a failed login', async () => {
    const responses = [];
    const body = { currentPassword: 'wrong', newPassword };
    for (let n = 0; n < 11; n++) {
      responses.push(
        await node.call('post', '/v1/auth/password', { body, token: user.accessToken, from: '192.0.2.78' }),
      );
    }
    expect(responses[0]?.body.code).toBe('forbidden');
    expect(responses[10]?.body.code).toBe('rate_limited');
    expect(await isIn(user)).toBe(true);
  });

  it('only one of several simultaneous requests with the same old password changes the password', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => change(user.password)));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 403, 403]);
  });
});

describe('a change of the e-mail', () => {
  const confirm = async (code: string) => {
    const { status, body } = await post('email/confirm', { code });
    return status === 204 ? 204 : body.code;
  };

  it('the service changes the e-mail after a confirmation from the new address, and notifies the old address', async () => {
    const [fresh, former] = [`${randomUUID()}@example.com`, user.email];
    const code = await askFor(fresh);
    expect(await login(former, user.password)).toBe(200);
    const password = await forget(former);
    const jobs = jest.spyOn(node.app.get(Jobs), 'add');
    expect(await confirm(code)).toBe(204);
    const payloads = JSON.stringify(jobs.mock.calls.map(([, { payload }]) => payload));
    jobs.mockRestore();
    expect([payloads.includes('formerEmail'), payloads.includes(former)]).toEqual([true, false]);
    expect([await login(former, user.password), await login(fresh, user.password)]).toEqual([401, 200]);
    expect((await post('password/reset', { code: password, password: newPassword })).status).toBe(401);
    await mailed();
    expect(node.mailer.to(former).at(-1)?.subject).toBe('Your e-mail address was changed');
    expect(node.mailer.to(former).at(-1)?.text).not.toContain(fresh);
    expect(await actionsOf(user.accountId)).toEqual(['email.changed']);
  });

  it('only one of 50 simultaneous requests with the same code confirms the e-mail', async () => {
    const code = await askFor(`${randomUUID()}@example.com`);
    const responses = await Promise.all(Array.from({ length: 50 }, () => confirm(code)));
    expect(responses.filter((response) => response === 204)).toHaveLength(1);
    expect(responses.filter((response) => response === 'unauthorized')).toHaveLength(49);
  });

  it('a request for another user’s e-mail address gets the usual response, and that user is notified', async () => {
    const { email } = await node.register();
    expect(await askFor(email)).toBe('none');
    expect(node.mailer.to(email).map(({ subject }) => subject)).toEqual(['This e-mail address is in use already']);
  });

  it('409 email_taken if another user takes the e-mail address before it is confirmed', async () => {
    const email = `${randomUUID()}@example.com`;
    const code = await askFor(email);
    await node.register({ email });
    expect(await confirm(code)).toBe('email_taken');
  });

  it('401 unauthorized for an e-mail code that was replaced or is a day old, and for a code of a password reset', async () => {
    const [first, second] = [await askFor(`${randomUUID()}@example.com`), await askFor(`${randomUUID()}@example.com`)];
    expect([await confirm(first), await confirm(await forget(user.email))]).toEqual(['unauthorized', 'unauthorized']);
    node.clock.advance(24 * 3600);
    expect(await confirm(second)).toBe('unauthorized');
  });

  it('403 forbidden for an e-mail change during a change of the password, which deletes all codes of the user', async () => {
    const slow = resetAfterCheck(await forget(user.email));
    const body = { email: `${randomUUID()}@example.com`, password: user.password };
    const response = await post('email', body, user.accessToken);
    slow.mockRestore();
    expect(response.status).toBe(403);
    expect(await sql('SELECT FROM user_code WHERE uid = $1', [await uidOf(user)])).toEqual([]);
  });

  it('403 forbidden, without a mail, for an e-mail change with a wrong password', async () => {
    const email = `${randomUUID()}@example.com`;
    const response = await post('email', { email, password: 'wrong' }, user.accessToken);
    expect(response.body).toMatchObject({ statusCode: 403, code: 'forbidden' });
    await mailed();
    expect(node.mailer.to(email)).toEqual([]);
  });
});

describe('a user who is deleted with the last account during a request', () => {
  const deleted = (act: () => PromiseLike<{ status: number; body: { code?: string } }>) =>
    node.during((tx) => node.app.get(AccountDeletionRepository).deleteMembers(tx, user.accountId, 100), act);
  const send = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
    node.call(method, `/v1/auth/${path}`, { token: user.accessToken, ...(body && { body }) });

  it.each([
    ['a change of the password', () => send('post', 'password', { currentPassword: user.password, newPassword })],
    ['a change of the e-mail', () => send('post', 'email', { email: 'new@example.com', password: user.password })],
    ['a change of the name', () => send('patch', 'me', { name: 'Ada' })],
    ['the end of the other sessions', () => send('delete', 'sessions')],
    ['a new account', () => send('post', 'accounts', { name: 'Another' })],
  ])('401 unauthorized for %s by a user whom a deletion of the account deletes meanwhile', async (_, act) => {
    const { status, body } = await deleted(act);
    expect([status, body.code]).toEqual([401, 'unauthorized']);
  });

  it('401 unauthorized for codes of a user whom a deletion of the account deletes meanwhile', async () => {
    const reset = { code: await forget(user.email), password: newPassword };
    const { status, body } = await deleted(() => post('password/reset', reset));
    expect([status, body.code]).toEqual([401, 'unauthorized']);
    user = await node.register();
    const code = await askFor(`${randomUUID()}@example.com`);
    const confirmed = await deleted(() => post('email/confirm', { code }));
    expect([confirmed.status, confirmed.body.code]).toEqual([401, 'unauthorized']);
  });
});
