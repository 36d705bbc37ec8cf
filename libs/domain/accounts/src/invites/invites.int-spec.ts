import { randomUUID } from 'node:crypto';
import { scopes } from '@passwright/core';
import { Database } from '@passwright/database';
import { jobsIdle, testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { InvitesHandlers } from './invites.handlers.js';
import { InvitesCron } from './invites.cron.js';

const DAY = 86_400;
let node: AccountsNode;

beforeAll(async () => (node = await AccountsNode.start({}, { run: true })));
afterAll(() => node.stop());

const anEmail = () => `${randomUUID()}@example.com`;
const invite = ({ accessToken: token }: Registered, body: object, at = node) =>
  at.call('post', '/v1/account/invite', { token, body });
const newUser = { name: 'Grace Hopper', password: 'correct horse battery staple' };
const accept = (code: string, body: object = newUser, token?: string) =>
  node.call('post', `/v1/account/invites/${code}/accept`, { body, token });
const show = (code: string) => node.call('get', `/v1/account/invites/${code}`);
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- rows as they are
const sql = (text: string, values: unknown[] = []): Promise<any[]> => node.app.get(DataSource).query(text, values);

async function mailsTo(address: string) {
  await jobsIdle((await testDatabase()).url, { tasks: ['invite.sent'] });
  return node.mailer.to(address);
}

/** Returns the code from the link in a mail. */
const codeIn = (mail: { text: string } | undefined) =>
  /^https:\/\/passes\.example\.com\/invites\/(\S+)$/m.exec(mail?.text ?? '')?.[1] ?? 'none';

/** Creates a user who has left their only account. */
async function lonely(): Promise<Registered> {
  const [user, other] = [await node.register(), await node.register()];
  await invite(user, { email: other.email, isAdmin: true });
  await accept(await mailedCode(other.email), {}, other.accessToken);
  const me = await node.call('get', '/v1/auth/me', { token: user.accessToken });
  const left = await node.call('delete', `/v1/account/members/${me.body.uid}`, { token: user.accessToken });
  expect(left.status).toBe(204);
  return user;
}

/** Returns the code from the latest mail to an e-mail address. */
const mailedCode = async (email: string) => codeIn((await mailsTo(email)).at(-1));

const adminKey = (admin: Registered) => node.createKey(admin, { scopes: [...scopes] });

describe('the invitation e-mail', () => {
  it('the service sends one e-mail to the invited person, with a link that contains the code', async () => {
    const [admin, email] = [await node.register(), anEmail()];
    const { body } = await invite(admin, { email });
    const [mail, ...more] = await mailsTo(email);
    expect(codeIn(mail)).toMatch(new RegExp(`^${body.ref}${admin.accountId.slice(4)}[\\w-]{22}$`));
    expect(more).toEqual([]);
    expect((await show(codeIn(mail))).status).toBe(200);
  });

  it('the service sends the invitation again under the same id if the mail server did not accept it', async () => {
    const [admin, email] = [await node.register(), anEmail()];
    await invite(admin, { email });
    const [first] = await mailsTo(email);
    const [{ id: inviteId }] = await sql('SELECT id FROM invite WHERE email = $1', [email]);
    const send = () => node.app.get(InvitesHandlers).send({ accountId: admin.accountId, inviteId });
    node.mailer.failNext();
    await expect(send()).rejects.toThrow('does not take it');
    await send();
    expect((await mailsTo(email)).map(({ id }) => id)).toEqual([first?.id, first?.id]);
  });

  it('the service does not send an e-mail for an invitation that has ended', async () => {
    const own = await AccountsNode.start();
    const admin = await own.register();
    const ends: ((code: string, email: string) => unknown)[] = [
      (code) => own.call('delete', `/v1/account/invites/${code}`, { token: admin.accessToken }),
      (_, email) => invite(admin, { email }, own),
      (code) => own.call('post', `/v1/account/invites/${code}/accept`, { body: newUser }),
      () => own.clock.advance(7 * DAY),
    ];
    for (const end of ends) {
      const email = anEmail();
      const { body } = await invite(admin, { email }, own);
      expect(body.code).toBeDefined();
      await end(body.code, email);
      await own.app.get(InvitesHandlers).send({ accountId: admin.accountId, inviteId: body.ref });
      expect(own.mailer.to(email)).toEqual([]);
    }
    await own.stop();
  });
});

describe('an invitation code', () => {
  it('the service does not store invitation codes in the database', async () => {
    const [admin, email] = [await node.register(), anEmail()];
    const { body } = await invite(admin, { email });
    const [mail] = await mailsTo(email);
    const secrets = [body.code.slice(-22), codeIn(mail).slice(-22)];
    const tables = await sql(`SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name
      FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema IN ('public', 'graphile_worker')`);
    expect(tables.length).toBeGreaterThan(20);
    for (const { name } of tables) {
      expect([
        name,
        await sql(`SELECT FROM ${name} AS r WHERE strpos(r::text, $1) > 0 OR strpos(r::text, $2) > 0`, secrets),
      ]).toEqual([name, []]);
    }
  });

  it('404 invite_not_found for a code with the wrong account, but not for a code of an earlier version without an account', async () => {
    const [admin, email] = [await node.register(), anEmail()];
    const { body } = await invite(admin, { email });
    const [ref, mac] = [body.ref as string, (body.code as string).slice(-22)];
    const { accountId } = await node.register();
    expect((await show(ref + accountId.slice(4) + mac)).body.code).toBe('invite_not_found');
    const revoked = await node.call('delete', `/v1/account/invites/${ref}${accountId.slice(4)}${mac}`, {
      token: admin.accessToken,
    });
    expect(revoked.body.code).toBe('invite_not_found');
    expect((await show(ref + mac)).body).toMatchObject({ email });
    expect((await accept(ref + mac)).status).toBe(200);
  });

  it('an invitation code works for 7 days, and its status is 410 for 30 more days and then 404', async () => {
    const own = await AccountsNode.start({ accessTokenTtlSeconds: 60 * DAY, refreshTokenTtlSeconds: 60 * DAY });
    const { body } = await invite(await own.register(), { email: anEmail() }, own);
    const read = () => own.call('get', `/v1/account/invites/${body.code}`);
    const cleanUp = () => own.app.get(InvitesCron).deleteExpired();
    own.clock.advance(7 * DAY - 1);
    expect((await read()).status).toBe(200);
    own.clock.advance(1);
    expect((await read()).body).toMatchObject({
      code: 'invite_expired',
      message: expect.stringContaining('expired at'),
    });
    own.clock.advance(30 * DAY - 1);
    await cleanUp();
    expect((await read()).body.code).toBe('invite_expired');
    own.clock.advance(1);
    await cleanUp();
    expect((await read()).body.code).toBe('invite_not_found');
    await own.stop();
  });

  it('429 rate_limited for an IP address that tries many wrong codes, but not for a valid code from the same address', async () => {
    const own = await AccountsNode.start({ attemptLimits: { badCredentialsPerAddress: { attempts: 3, seconds: 60 } } });
    const { body } = await invite(await own.register(), { email: anEmail() }, own);
    const from = `10.99.${process.pid % 250}.${Date.now() % 250}`;
    const read = (code: string) => own.call('get', `/v1/account/invites/${code}`, { from });
    const guesses = ['x', 'y', body.ref, `${body.ref}${'A'.repeat(22)}`, 'z'];
    const responses = [];
    for (const guess of guesses) responses.push((await read(guess)).status);
    expect(responses).toEqual([404, 404, 404, 429, 429]);
    expect((await read(body.code)).status).toBe(200);
    await own.stop();
  });
});

describe('a user who is no longer in any account', () => {
  it('a user without an account returns through an invitation as the same user, with a new name and password', async () => {
    const user = await lonely();
    const [before] = await sql('SELECT uid FROM app_user WHERE email = $1', [user.email]);
    await invite(await node.register(), { email: user.email });
    const code = await mailedCode(user.email);
    expect((await show(code)).body.userExists).toBe(false);
    const back = await accept(code);
    expect(back.status).toBe(200);
    const me = await node.call('get', '/v1/auth/me', { token: back.body.accessToken });
    expect(me.body).toMatchObject({ uid: before.uid, name: newUser.name, email: user.email });
    const login = (password: string) => node.call('post', '/v1/auth/login', { body: { email: user.email, password } });
    expect((await login(newUser.password)).status).toBe(200);
  });

  it('a user who returns through an invitation loses all earlier codes and linked identities', async () => {
    const user = await lonely();
    const [{ uid }] = await sql('SELECT uid FROM app_user WHERE email = $1', [user.email]);
    const values = `$1, 'email', sha256(uid::bytea), 'eve@example.com', now() + interval '9 years', now()`;
    await sql(
      `INSERT INTO user_code (uid, purpose, code_hash, email, expires_at, created_at)
       SELECT ${values} FROM app_user WHERE uid = $1`,
      [uid],
    );
    await sql(`INSERT INTO user_identity (issuer, subject, uid, created_at) VALUES ('x', $1, $1, now())`, [uid]);
    await invite(await node.register(), { email: user.email });
    expect((await accept(await mailedCode(user.email))).status).toBe(200);
    expect(await sql('SELECT FROM user_code WHERE uid = $1', [uid])).toEqual([]);
    expect(await sql('SELECT FROM user_identity WHERE uid = $1', [uid])).toEqual([]);
  });

  it('a user without an account can accept only one of two simultaneous invitations with a new password', async () => {
    const user = await lonely();
    const codes = [];
    for (const admin of [await node.register(), await node.register()]) {
      await invite(admin, { email: user.email });
      codes.push(await mailedCode(user.email));
    }
    const responses = await Promise.all(codes.map((code) => accept(code)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('the code in responses to admins', () => {
  it('403 forbidden for a new name and password with the shown code if the e-mail belongs to a user', async () => {
    const [active, removed] = [await node.register(), await lonely()];
    const unregistered = await invite(await node.register(), { email: anEmail(), isAdmin: true });
    const rejections = [await accept(unregistered.body.code)];
    for (const { email, password } of [active, removed]) {
      const user = () => sql('SELECT uid, name, password_hash FROM app_user WHERE email = $1', [email]);
      const before = await user();
      const { body } = await invite(await node.register(), { email });
      rejections.push(await accept(body.code));
      expect(await user()).toEqual(before);
      const login = await node.call('post', '/v1/auth/login', { body: { email, password } });
      expect(login.status).toBe(email === active.email ? 200 : 401);
    }
    expect(rejections.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([403, 'forbidden']));
    expect(new Set(rejections.map(({ body }) => body.message)).size).toBe(1);
  });

  it('403 forbidden for an admin invitation with the shown code, but not with the mailed code', async () => {
    const [admin, user] = [await node.register(), await node.register()];
    const { body } = await invite(admin, { email: user.email, isAdmin: true });
    expect((await accept(body.code, {}, user.accessToken)).status).toBe(403);
    expect((await accept(await mailedCode(user.email), {}, user.accessToken)).status).toBe(200);
  });

  it('the shown code lets a new user accept an invitation without the admin role', async () => {
    const { body } = await invite(await node.register(), { email: anEmail() });
    expect((await accept(body.code)).status).toBe(200);
  });

  it('an API key gets only the ref of an invitation, not the code, in every response', async () => {
    const admin = await node.register();
    const { key: token } = await node.createKey(admin, { scopes: [...scopes] });
    const sent = await node.call('post', '/v1/account/invite', { token, body: { email: anEmail() } });
    await invite(admin, { email: anEmail(), isAdmin: true });
    const { data } = (await node.call('get', '/v1/account/invites', { token })).body;
    const { invites } = (await node.call('get', '/v1/account', { token })).body;
    const all = [sent.body, ...data, ...invites] as { code: string; ref: string }[];
    expect(all).toHaveLength(5);
    expect(all.map(({ code }) => code)).toEqual(all.map(({ ref }) => ref));
    expect((await accept(sent.body.code)).body.code).toBe('invite_not_found');
    const revoked = await node.call('delete', `/v1/account/invites/${sent.body.code}`, { token });
    expect(revoked.status).toBe(204);
  });
});

describe('inviting users', () => {
  it('only the mailed code reveals if the invited person is already a user, and opens the invitation page', async () => {
    const [admin, user] = [await node.register(), await node.register()];
    const shown = await invite(admin, { email: user.email });
    const nobody = await invite(admin, { email: anEmail() });
    for (const { body } of [shown, nobody]) {
      expect((await show(body.code)).body).not.toHaveProperty('userExists');
      expect((await node.call('get', `/invites/${body.code}`)).status).toBe(404);
    }
    const mailed = codeIn((await mailsTo(user.email)).at(-1));
    expect((await show(mailed)).body.userExists).toBe(true);
    expect((await node.call('get', `/invites/${mailed}`)).status).toBe(200);
  });

  it('403 forbidden for an API key whose invitation or new role would grant more scopes than the key has', async () => {
    const [admin, guest] = [await node.register(), anEmail()];
    const some = ['account:read', 'account:write'];
    const most = ['templates:read', 'templates:write', 'passes:read', 'passes:write', 'members:read', 'members:write'];
    const keyOf = async (scopes: string[]) => (await node.createKey(admin, { scopes })).key;
    const [narrow, wide] = [await keyOf(some), await keyOf([...some, ...most])];
    const by = (token: string, isAdmin: boolean) =>
      node.call('post', '/v1/account/invite', { token, body: { email: anEmail(), isAdmin } });
    const responses = [await by(narrow, false), await by(narrow, true), await by(wide, false), await by(wide, true)];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 201, 201]);
    expect(responses[0]?.body.message).toContain('templates:read');
    const { body } = await invite(admin, { email: guest });
    await accept(body.code);
    const [{ uid }] = await sql('SELECT uid FROM app_user WHERE email = $1', [guest]);
    const promote = (token: string, isAdmin: boolean) =>
      node.call('patch', `/v1/account/members/${uid}`, { token, body: { isAdmin } });
    const roles = [await promote(narrow, true), await promote(wide, true), await promote(narrow, false)];
    expect(roles.map(({ status }) => status)).toEqual([403, 200, 200]);
  });

  it('the service revokes the open invitations of a user who loses the admin role or leaves', async () => {
    const admin = await node.register();
    for (const end of ['patch', 'delete'] as const) {
      const second = await node.register();
      await invite(admin, { email: second.email, isAdmin: true });
      const accepted = await accept(await mailedCode(second.email), {}, second.accessToken);
      const inside = { ...second, accessToken: accepted.body.accessToken };
      const [theirs, others] = [await invite(inside, { email: anEmail() }), await invite(admin, { email: anEmail() })];
      const [{ uid }] = await sql('SELECT uid FROM app_user WHERE email = $1', [second.email]);
      const path = `/v1/account/members/${uid}`;
      await node.call(end, path, { token: admin.accessToken, ...(end === 'patch' && { body: { isAdmin: false } }) });
      expect([(await accept(theirs.body.code)).status, (await accept(others.body.code)).status]).toEqual([410, 200]);
      const events = await sql(`SELECT before FROM audit_event WHERE target_id = $1 AND action = 'invite.revoked'`, [
        theirs.body.ref,
      ]);
      expect(events).toEqual([{ before: { isAdmin: false } }]);
    }
  });

  it('the service revokes the open invitations of a revoked API key, but no other invitations', async () => {
    const admin = await node.register();
    const [leaked, kept] = [await adminKey(admin), await adminKey(admin)];
    const by = (token: string, isAdmin: boolean) =>
      node.call('post', '/v1/account/invite', { token, body: { email: anEmail(), isAdmin } });
    const revoked = [await by(leaked.key, true), await by(leaked.key, false)];
    const others = [await by(kept.key, true), await invite(admin, { email: anEmail() })];
    await node.call('delete', `/v1/auth/keys/${leaked.id}`, { token: admin.accessToken });
    const refs = (responses: typeof others) => responses.map(({ body }) => body.ref as string);
    const events = await sql(
      `SELECT target_id, before FROM audit_event WHERE account_id = $1 AND action = 'invite.revoked'
       ORDER BY before->'isAdmin'`,
      [admin.accountId],
    );
    const [first, second] = refs(revoked);
    expect(events).toEqual([
      { target_id: second, before: { isAdmin: false } },
      { target_id: first, before: { isAdmin: true } },
    ]);
    const { data } = (await node.call('get', '/v1/account/invites', { token: admin.accessToken })).body;
    expect(data.map(({ ref }: { ref: string }) => ref).sort()).toEqual(refs(others).sort());
  });

  it('401 unauthorized for an API key that is revoked while it invites', async () => {
    const admin = await node.register();
    const { key: token, id } = await adminKey(admin);
    const invited = await node.during(
      (tx) => tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [admin.accountId]),
      () => node.call('post', '/v1/account/invite', { token, body: { email: anEmail() } }),
      () => node.call('delete', `/v1/auth/keys/${id}`, { token: admin.accessToken }),
    );
    expect([invited.status, invited.body.code]).toEqual([401, 'unauthorized']);
    expect(await sql('SELECT FROM invite WHERE account_id = $1', [admin.accountId])).toEqual([]);
  });

  it('the audit trail of invitations does not contain e-mail addresses', async () => {
    const [admin, email] = [await node.register(), anEmail()];
    for (const end of ['again', 'revoked']) {
      const { body } = await invite(admin, { email });
      if (end === 'revoked') await node.call('delete', `/v1/account/invites/${body.ref}`, { token: admin.accessToken });
    }
    const events = await sql('SELECT action, before, after FROM audit_event WHERE account_id = $1', [admin.accountId]);
    expect(events).toHaveLength(5);
    expect(JSON.stringify(events)).not.toContain(email);
  });
});

it('the service removes a user without a deadlock while all sessions of the user end', async () => {
  const [admin, user] = [await node.register(), await node.register()];
  const { body } = await invite(admin, { email: user.email });
  const session = async () =>
    (await node.call('post', '/v1/auth/switch', { token: user.accessToken, body: { accountId: admin.accountId } }))
      .status;
  await accept(body.code, {}, user.accessToken);
  expect(await session()).toBe(200);
  const [{ uid }] = await sql('SELECT uid FROM app_user WHERE email = $1', [user.email]);
  const end = (tx: EntityManager, order: string) =>
    tx.query(
      `DELETE FROM session WHERE id = (SELECT id FROM session WHERE uid = $1 AND account_id = $2
      ORDER BY ctid ${order} LIMIT 1)`,
      [uid, admin.accountId],
    );
  const removed = await node.during(
    async (tx) => {
      await tx.query('SELECT FROM app_user WHERE uid = $1 FOR NO KEY UPDATE', [uid]);
      await end(tx, 'DESC');
    },
    () => node.call('delete', `/v1/account/members/${uid}`, { token: admin.accessToken }),
    (tx) => end(tx, 'ASC'),
  );
  expect(removed.status).toBe(204);
});

describe('limits on invitations', () => {
  it('429 rate_limited for too many invitations from one founder’s accounts, in total or to one e-mail address', async () => {
    const [invitesPerFounder, invitesPerEmail] = [4, 2].map((attempts) => ({ attempts, seconds: 60 }));
    const own = await AccountsNode.start({ attemptLimits: { invitesPerFounder, invitesPerEmail } });
    const [admin, email] = [await own.register(), anEmail()];
    const to = async (address: string) => (await invite(admin, { email: address }, own)).status;
    expect([await to(email), await to(email.toUpperCase()), await to(email)]).toEqual([201, 201, 429]);
    expect([await to(anEmail()), await to(anEmail()), await to(anEmail())]).toEqual([201, 201, 429]);
    const another = { token: admin.accessToken, body: { name: 'Another' } };
    const { body } = await own.call('post', '/v1/auth/accounts', another);
    expect((await invite({ ...admin, ...body }, { email: anEmail() }, own)).status).toBe(429);
    await own.stop();
  });

  it('429 rate_limited for too many invitations to one e-mail from all accounts, except the first from each founder', async () => {
    const own = await AccountsNode.start({ attemptLimits: { invitesPerEmailOverall: { attempts: 2, seconds: 60 } } });
    const email = anEmail();
    const statuses = [];
    const admin = await own.register();
    for (let n = 0; n < 4; n++) statuses.push((await invite(admin, { email }, own)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    const stranger = await own.register();
    expect((await invite(stranger, { email }, own)).status).toBe(201);
    expect((await invite(stranger, { email }, own)).status).toBe(429);
    await own.stop();
  });

  it('403 limit_exceeded for the 1001st user of an account, including invited users but not former users', async () => {
    const admin = await node.register();
    await crowd(admin.accountId, 998);
    const last = await invite(admin, { email: anEmail() });
    const rejected = await invite(admin, { email: anEmail() });
    expect([last.status, rejected.body.code]).toEqual([201, 'limit_exceeded']);
    expect((await accept(last.body.code)).status).toBe(200);
    const read = await node.call('get', '/v1/account', { token: admin.accessToken });
    expect(read.body.members).toHaveLength(1000);
    const { uid } = read.body.members[999];
    await node.call('delete', `/v1/account/members/${uid}`, { token: admin.accessToken });
    expect((await invite(admin, { email: anEmail() })).status).toBe(201);
  });

  it('403 limit_exceeded for the 101st account of a user, which is not created', async () => {
    const user = await node.register();
    const found = (name: string) => node.call('post', '/v1/auth/accounts', { token: user.accessToken, body: { name } });
    await sql(
      `WITH made AS (INSERT INTO account (id, name, created_at)
         SELECT 'acc_' || $1::text || n, 'Many', now() FROM generate_series(1, 98) n RETURNING id)
       INSERT INTO account_member (account_id, uid, is_admin, created_at)
       SELECT made.id, uid, true, now() FROM made, app_user WHERE email = $2`,
      [randomUUID(), user.email],
    );
    expect((await found('The hundredth')).status).toBe(201);
    const name = randomUUID();
    expect((await found(name)).body.code).toBe('limit_exceeded');
    expect(await sql('SELECT FROM account WHERE name = $1', [name])).toEqual([]);
  });
});

it('the service uses an index for every list and look-up of invitations', async () => {
  const { accountId } = await node.register();
  await sql(
    `INSERT INTO invite (account_id, id, email, is_admin, invited_by, expires_at, created_at)
     SELECT $1, $1 || n, $1 || n || '@example.com', false, 'usr_1', now() + n * interval '1 h', now() - n * interval '1 s'
     FROM generate_series(1, 2000) n`,
    [accountId],
  );
  const plans = await node.app.get(Database).reads.transaction(async (tx) => {
    await tx.query('ANALYZE invite');
    await tx.query('SET LOCAL enable_seqscan = off');
    const plan = async (text: string) => JSON.stringify(await tx.query(`EXPLAIN (FORMAT JSON) ${text}`));
    return [
      await plan(`SELECT * FROM invite WHERE account_id = '${accountId}' AND ended_at IS NULL AND expires_at > now()
        AND (created_at, id) < (now(), 'x') ORDER BY created_at DESC, id DESC LIMIT 21`),
      await plan(`SELECT * FROM invite WHERE id = 'x'`),
      await plan(`UPDATE invite SET ended_at = now()
        WHERE account_id = '${accountId}' AND lower(email) = 'x' AND ended_at IS NULL`),
      await plan(`DELETE FROM invite WHERE expires_at <= now()`),
    ];
  });
  // An index on the e-mail address is fast enough, because few invitations have the same one.
  const indexes = [/invite_list_idx/, /invite_id_idx/, /invite_(email_key|open_email_idx)/, /invite_expires_idx/];
  expect(plans).toEqual(indexes.map((index) => expect.stringMatching(index)));
  expect(plans[0]).not.toContain('"Sort"');
});

/** Adds users to an account, none of them an admin. */
async function crowd(accountId: string, size: number): Promise<void> {
  const mark = randomUUID();
  await sql(
    `WITH made AS (INSERT INTO app_user (uid, email, name, created_at)
       SELECT 'usr_' || $1::text || n, $1::text || n || '@example.com', 'Many', now() FROM generate_series(1, $2::int) n
       RETURNING uid)
     INSERT INTO account_member (account_id, uid, is_admin, created_at) SELECT $3, uid, false, now() FROM made`,
    [mark, size, accountId],
  );
}
