import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { scopes } from '@passwright/core';
import { jobsIdle, lockWaitsSql, testDatabase } from '@passwright/testing';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsNode, masterKeys, type Registered } from '../accounts.fixtures.js';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountExportService } from './account-export.service.js';
import { AccountDeletionCron } from './account-deletion.cron.js';
import { AccountDeletionHandlers } from './account-deletion.handlers.js';
import { AccountRowsRepository, deletedAtOnce } from './account-rows.repository.js';

let node: AccountsNode;
let url: string;
let admin: Registered;

beforeAll(async () => {
  Logger.overrideLogger(false);
  url = (await testDatabase()).url;
  node = await AccountsNode.start({ personalData: { masterKeys, encrypts: true } }, { run: true });
});
afterAll(() => node.stop());
beforeEach(async () => {
  admin = await node.register();
});

const invites = { table: 'invite', key: ['id'] };
const sql = <T = unknown>(query: string, values: unknown[] = []) => node.app.get(DataSource).query<T[]>(query, values);
const ask = (body: object = { password: admin.password }, token = admin.accessToken) =>
  node.call('delete', '/v1/account', { token, body });
const mailed = () => jobsIdle(url, { tasks: ['accounts.deletion-requested', 'invite.sent', 'accounts.delete'] });
const atOnce = () => node.app.get(AccountDeletionService).requestAsOperator(admin.accountId, true);
const has = async (table: string) =>
  (await sql(`SELECT FROM ${table} WHERE account_id = $1`, [admin.accountId])).length;

async function invitation(isAdmin = false): Promise<{ email: string; code: string }> {
  const email = `${randomUUID()}@example.com`;
  const body = { email, isAdmin };
  const { status } = await node.call('post', '/v1/account/invite', { token: admin.accessToken, body });
  expect(status).toBe(201);
  await mailed();
  const code = /\/invites\/([\w-]+)/.exec(node.mailer.to(email).at(-1)?.text ?? '')?.[1];
  return { email, code: code ?? 'none' };
}

describe('an account that is being deleted', () => {
  const rejected = { statusCode: 403, code: 'forbidden', message: expect.stringContaining('is being deleted on') };
  const newUser = { name: 'Ada', password: 'correct horse battery' };

  it('403 forbidden for accepting an invitation to the account, until an admin cancels the deletion', async () => {
    const [{ code }, { email, code: ofUser }] = [await invitation(), await invitation(true)];
    const user = await node.register({ email });
    expect((await ask()).status).toBe(202);
    const accept = (token?: string) =>
      node.call('post', `/v1/account/invites/${token ? ofUser : code}/accept`, {
        ...(token ? { token, body: {} } : { body: newUser }),
      });
    expect((await accept()).body).toMatchObject(rejected);
    expect((await accept(user.accessToken)).body).toMatchObject(rejected);
    expect(await has('account_member')).toBe(1);
    await node.call('delete', '/v1/account/deletion', { token: admin.accessToken });
    expect([(await accept()).status, (await accept(user.accessToken)).status]).toEqual([200, 200]);
  });

  it('403 forbidden for accepting an invitation while an admin requests the deletion', async () => {
    const { code } = await invitation();
    const response = await node.during(
      (tx) => tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [admin.accountId]),
      () => node.call('post', `/v1/account/invites/${code}/accept`, { body: newUser }),
      (tx) =>
        tx.query(
          `INSERT INTO account_deletion (account_id, requested_at, requested_by, deletes_at)
           VALUES ($1, now(), 'operator', now() + interval '7 days')`,
          [admin.accountId],
        ),
    );
    expect(response.body).toMatchObject(rejected);
  });

  it('403 forbidden for creating, using or rotating an API key while the account is being deleted', async () => {
    const { id, key } = await node.createKey(admin);
    await ask();
    const token = admin.accessToken;
    expect((await node.call('get', '/routes/passes', { token: key })).body).toMatchObject(rejected);
    const made = await node.call('post', '/v1/auth/keys', { token, body: { name: 'New' } });
    expect(made.body).toMatchObject(rejected);
    expect((await node.call('post', `/v1/auth/keys/${id}/rotate`, { token })).body).toMatchObject(rejected);
  });
});

describe('the mail about a deletion', () => {
  it('the mail tells every admin when the account will be deleted and how to keep the account', async () => {
    const { email } = await invitation(true);
    const second = await node.register({ email });
    const code = /\/invites\/([\w-]+)/.exec(node.mailer.to(email).at(-1)?.text ?? '')?.[1];
    await node.call('post', `/v1/account/invites/${code}/accept`, { token: second.accessToken, body: {} });
    const { email: member, code: ofMember } = await invitation();
    const name = { name: 'Member', password: 'correct horse battery' };
    await node.call('post', `/v1/account/invites/${ofMember}/accept`, { body: name });
    const { body } = await ask();
    await mailed();
    for (const to of [admin.email, email]) {
      const mail = node.mailer.to(to).at(-1);
      expect(mail?.subject).toBe('The account Analytical Engines will be deleted');
      expect(mail?.text).toContain('DELETE /v1/account/deletion');
      expect(mail?.text).toContain(
        new Date(body.deletesAt).toLocaleString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
      );
    }
    expect(node.mailer.to(member).map(({ subject }) => subject)).not.toContain(node.mailer.to(email).at(-1)?.subject);
  });

  it('429 rate_limited for the eleventh requested deletion in a day', async () => {
    for (let n = 0; n < 10; n++) {
      expect((await ask()).status).toBe(202);
      await node.call('delete', '/v1/account/deletion', { token: admin.accessToken });
    }
    expect((await ask()).body.code).toBe('rate_limited');
    expect(await has('account_deletion')).toBe(0);
    await mailed();
  });

  it('the service sends a rejected deletion mail again, unless the deletion was cancelled', async () => {
    node.mailer.failNext();
    await ask();
    await mailed();
    expect(node.mailer.to(admin.email)).toEqual([]);
    const due = 'UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts = 1';
    await sql(due);
    await mailed();
    expect(node.mailer.to(admin.email)).toHaveLength(1);

    admin = await node.register();
    node.mailer.failNext();
    await ask();
    await mailed();
    await node.call('delete', '/v1/account/deletion', { token: admin.accessToken });
    await sql(due);
    await mailed();
    expect(node.mailer.to(admin.email)).toEqual([]);
  });
});

describe('a user without a password', () => {
  beforeEach(async () => {
    const members = 'SELECT uid FROM account_member WHERE account_id = $1';
    const [user] = await sql<{ uid: string }>(members, [admin.accountId]);
    await sql('UPDATE app_user SET password_hash = NULL WHERE uid = $1', [user?.uid]);
  });

  it('a user without a password can delete the account if the session is at most 15 minutes old', async () => {
    expect((await ask({})).status).toBe(202);
  });

  it('403 forbidden for deleting an account without a password if the session is more than 15 minutes old', async () => {
    node.clock.advance(15 * 60 + 1);
    const refreshed = await node.call('post', '/v1/auth/refresh', { body: { refreshToken: admin.refreshToken } });
    const response = await ask({ password: admin.password }, refreshed.body.accessToken);
    expect(response.body).toMatchObject({
      statusCode: 403,
      code: 'forbidden',
      message: expect.stringContaining('sign in again'),
    });
    expect(await has('account_deletion')).toBe(0);
  });

  it('400 validation_failed for a user who has a password but sends none', async () => {
    const other = await node.register();
    expect((await ask({}, other.accessToken)).body.code).toBe('validation_failed');
  });
});

describe('erasing an account', () => {
  const invite = () =>
    sql(
      `INSERT INTO invite (account_id, id, email, is_admin, invited_by, expires_at, created_at, ended_at, ended_by)
       SELECT $1, 'invite' || n, n || '@example.com', false, 'nobody', now(), now(), now(), 'revoked'
       FROM generate_series(1, $2) n`,
      [admin.accountId, 2 * deletedAtOnce + 1],
    );

  it('the service continues an erasure that was interrupted between two batches', async () => {
    await invite();
    const rows = node.app.get(AccountRowsRepository);
    const deletePage = rows.deletePage.bind(rows);
    let pages = 0;
    const breaking = jest.spyOn(rows, 'deletePage').mockImplementation((accountId, table, after) => {
      if (table.table === 'invite' && ++pages === 2) return Promise.reject(new Error('The process was killed'));
      return deletePage(accountId, table, after);
    });
    await atOnce();
    await jobsIdle(url, { tasks: ['accounts.delete'] });
    expect([await has('invite'), await has('audit_event')]).toEqual([deletedAtOnce + 1, expect.any(Number)]);
    expect(await has('session')).toBe(1);

    breaking.mockRestore();
    await node.app.get(AccountDeletionCron).deleteDue();
    await sql(`UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts = 1`);
    await jobsIdle(url, { tasks: ['accounts.delete'] });
    for (const table of ['invite', 'session', 'audit_event', 'account_member'])
      expect([table, await has(table)]).toEqual([table, 0]);
    const emptied = await sql('SELECT FROM account_deletion WHERE account_id = $1 AND emptied_at IS NOT NULL', [
      admin.accountId,
    ]);
    expect(emptied).toHaveLength(1);
  });

  it('an erasure deletes users who have left the account before, unless they are in another account', async () => {
    const join = async (name: string) => {
      const { token, email } = { token: admin.accessToken, email: `${randomUUID()}@example.com` };
      const { body: invite } = await node.call('post', '/v1/account/invite', { token, body: { email } });
      const body = { name, password: 'a long enough password' };
      const { body: joined } = await node.call('post', `/v1/account/invites/${invite.code}/accept`, { body });
      const { body: me } = await node.call('get', '/v1/auth/me', { token: joined.accessToken as string });
      return { token: joined.accessToken as string, uid: me.uid as string };
    };
    const [gone, elsewhere] = [await join('Gone'), await join('Elsewhere')];
    await node.call('post', '/v1/auth/accounts', { token: elsewhere.token, body: { name: 'Another' } });
    for (const { uid, token } of [gone, elsewhere]) {
      expect((await node.call('delete', `/v1/account/members/${uid}`, { token })).status).toBe(204);
    }
    await atOnce();
    await jobsIdle(url, { tasks: ['accounts.delete'] });
    const left = await sql('SELECT uid FROM app_user WHERE uid = ANY($1)', [[gone.uid, elsewhere.uid]]);
    expect(left).toEqual([{ uid: elsewhere.uid }]);
    expect(await sql('SELECT FROM encryption_key WHERE id = $1', [`user:${gone.uid}`])).toEqual([]);
  });

  it('two simultaneous runs of an erasure delete all users who are only in the account', async () => {
    await sql(
      `WITH added AS (
         INSERT INTO app_user (uid, email, name, created_at)
         SELECT '0' || n || $1, n || $1 || '@example.com', '', now() FROM generate_series(100, 249) n RETURNING uid
       ) INSERT INTO account_member (account_id, uid, is_admin, created_at) SELECT $1, uid, false, now() FROM added`,
      [admin.accountId],
    );
    const handlers = node.app.get(AccountDeletionHandlers);
    const deletions = node.app.get(AccountDeletionRepository);
    await node.app.get(AccountDeletionService).requestAsOperator(admin.accountId, false);
    await sql(`UPDATE account_deletion SET deletes_at = '2020-01-01' WHERE account_id = $1`, [admin.accountId]);
    await node.during(
      (tx) => deletions.deleteMembers(tx, admin.accountId, 100),
      () => handlers.erase({ accountId: admin.accountId }, { signal: new AbortController().signal }),
    );
    // Another job continues if the run time of the first one ends early on a busy machine.
    await jobsIdle(url, { tasks: ['accounts.delete'] });
    expect(await sql(`SELECT uid FROM app_user WHERE uid LIKE '0%' || $1`, [admin.accountId])).toEqual([]);
    expect(await has('account_member')).toBe(0);
  });

  it('an erasure deletes the keys of the personal data, and no scheduled job creates new ones', async () => {
    const personalData = node.app.get(PersonalData);
    expect(await personalData.find(admin.accountId)).not.toBeNull();
    await atOnce();
    await jobsIdle(url, { tasks: ['accounts.delete'] });
    expect(await personalData.find(admin.accountId)).toBeNull();
    await personalData.createKeys({ signal: new AbortController().signal });
    expect(await has('encryption_key')).toBe(0);
  });

  it('an erasure locks rows in the order of their keys, like other statements', async () => {
    const id = (n: number) => `${admin.accountId}${1e6 + n}`;
    // Store the rows in descending order of their keys, in which a statement without ORDER BY would lock them.
    await sql(
      `INSERT INTO invite (account_id, id, email, is_admin, invited_by, expires_at, created_at, ended_at, ended_by)
       SELECT $1, $1 || (1000000 + n), n || '@example.com', false, 'nobody', now(), now(), now(), 'revoked'
       FROM generate_series($2, 1, -1) n`,
      [admin.accountId, 5 * deletedAtOnce],
    );
    await sql('ANALYZE invite');
    const lock = (tx: EntityManager, n: number) =>
      tx.query('SELECT FROM invite WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE NOWAIT', [
        admin.accountId,
        id(n),
      ]);
    let deleting: Promise<unknown> | undefined;
    await node.app.get(DataSource).transaction(async (tx) => {
      await lock(tx, 1);
      deleting ??= node.app.get(AccountRowsRepository).deletePage(admin.accountId, invites, null);
      // Avoid an unhandled rejection if the lines below fail first.
      deleting.catch(() => undefined);
      while ((await sql(lockWaitsSql)).length === 0) await pause(5);
      await lock(tx, deletedAtOnce);
    });
    await deleting;
    expect(await has('invite')).toBe(4 * deletedAtOnce);
  });

  it('the service stops an aborted erasure, and continues it in the next run', async () => {
    await invite();
    const handlers = node.app.get(AccountDeletionHandlers);
    await node.app.get(AccountDeletionService).requestAsOperator(admin.accountId, false);
    await sql(`UPDATE account_deletion SET deletes_at = '2020-01-01' WHERE account_id = $1`, [admin.accountId]);
    const stopping = AbortSignal.abort(new Error('The node stops'));
    await expect(handlers.erase({ accountId: admin.accountId }, { signal: stopping })).rejects.toThrow(
      'The node stops',
    );
    expect(await has('invite')).toBe(2 * deletedAtOnce + 1);
    await handlers.erase({ accountId: admin.accountId }, { signal: new AbortController().signal });
    // Another job continues if the run time of the first one ends early on a busy machine.
    await jobsIdle(url, { tasks: ['accounts.delete'] });
    expect(await has('invite')).toBe(0);
  });
});

describe('the export of an account', () => {
  const large = (count: number) =>
    sql(
      `INSERT INTO audit_event (account_id, id, at, actor_kind, action, target_kind, after)
       SELECT $1, '!' || n, now(), 'system', 'test', 'account', jsonb_build_object('text', repeat('x', 200000))
       FROM generate_series(1, $2) n`,
      [admin.accountId, count],
    );

  it('the export contains all rows of an account, and reads only a few large rows at a time', async () => {
    await large(12);
    const pages: number[] = [];
    const rows = node.app.get(AccountRowsRepository);
    for await (const page of rows.read(admin.accountId, { table: 'audit_event', key: ['id'] })) pages.push(page.length);
    expect(pages.reduce((sum, count) => sum + count, 0)).toBe(await has('audit_event'));
    expect(pages.slice(0, 3)).toEqual([5, 1, 1]);
    expect(Math.max(...pages)).toBe(5);
  });

  it('the export names sessions as the audit trail does, and not by ids that could end them', async () => {
    const { body } = await node.call('get', '/v1/account/export', { token: admin.accessToken });
    const { session, audit_event: events } = body.tables as Record<'session' | 'audit_event', Record<string, string>[]>;
    const opened = events.filter(({ action }) => action === 'session.opened').map((event) => event.target_id);
    expect(session.map(({ id }) => id)).toEqual(opened);
    expect(opened).toHaveLength(1);
    expect(JSON.stringify(body)).not.toContain('ses_');
  });

  it('the export is complete even if a database connection is terminated during the export', async () => {
    await invitation();
    const blocker = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
    await blocker.query('BEGIN; LOCK TABLE invite IN ACCESS EXCLUSIVE MODE');
    const exported = node.call('get', '/v1/account/export', { token: admin.accessToken });
    const response = exported.then(({ status, body }) => ({ status, body: body as { tables: { invite: unknown[] } } }));
    // Filter by database, because pg_locks also lists tables of other databases with the same ids.
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'invite'::regclass AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    while ((await sql(kill)).length === 0);
    await blocker.query('ROLLBACK');
    await blocker.destroy();
    expect((await response).status).toBe(200);
    expect((await response).body.tables.invite).toHaveLength(1);
    expect(await has('invite')).toBe(1);
  });

  it('the service runs the exports of one account one after another', async () => {
    const steps: string[] = [];
    let open: () => void = () => undefined;
    const barrier = new Promise<void>((resolve) => (open = resolve));
    const read = jest.spyOn(node.app.get(AccountExportService), 'export').mockImplementation(async function* () {
      steps.push('begins');
      yield '{';
      await barrier;
      yield '}';
      steps.push('ends');
    });
    const get = (path: string) => node.call('get', path, { token: admin.accessToken });
    const exports = [1, 2].map(() => get('/v1/account/export').then(({ status }) => status));
    while (steps.length === 0) await new Promise(setImmediate);
    // Give the second export time to start too early.
    for (let count = 0; count < 5; count++) await get('/v1/account');
    open();
    expect(await Promise.all(exports)).toEqual([200, 200]);
    expect(steps).toEqual(['begins', 'ends', 'begins', 'ends']);
    read.mockRestore();
  });

  it('401 unauthorized for an export if its API key is revoked while the export waits for another one', async () => {
    let open: () => void = () => undefined;
    const barrier = new Promise<void>((resolve) => (open = resolve));
    const exporter = node.app.get(AccountExportService);
    const [read, turns] = [jest.spyOn(exporter, 'export'), jest.spyOn(exporter, 'inTurn')];
    read.mockImplementationOnce(async function* () {
      yield '{';
      await barrier;
      yield '}';
    });
    const { id, key } = await node.createKey(admin, { scopes: [...scopes] });
    const get = (token: string) => node.call('get', '/v1/account/export', { token }).then(({ status }) => status);
    const first = get(admin.accessToken);
    while (read.mock.calls.length < 1) await new Promise(setImmediate);
    const second = get(key);
    while (turns.mock.calls.length < 2) await new Promise(setImmediate);
    await node.call('delete', `/v1/auth/keys/${id}`, { token: admin.accessToken });
    open();
    expect([await first, await second]).toEqual([200, 401]);
    expect(read).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
  });
});
