import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { ErrorCase } from './device-error-cases.js';
import { mailedCodes } from '../support/mailed-codes.js';
import type { Account, ApiResponse, RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
  readonly account: () => Account;
}

const newUser = { name: 'Grace Hopper', password: 'correct horse battery staple' };
const anEmail = () => `${randomUUID()}@example.com`;
const noCode = 'A'.repeat(44);

/** Returns the error cases of accounts, their people and their invitations. */
export function peopleErrorCases({ service, account }: Driven): ErrorCase[] {
  const codeFor = async (email: string, owner = account()): Promise<string> =>
    (await owner.post('/v1/account/invite', { email })).body.code;
  const accept = (code: string, body: object = newUser, token?: string) =>
    service().request('POST', `/v1/account/invites/${code}/accept`, { body, token });
  const revoked = async () => {
    const code = await codeFor(anEmail());
    await account().delete(`/v1/account/invites/${code}`);
    return code;
  };
  const onOwn = (path: string, send: (path: string) => Promise<ApiResponse>) => async () => {
    const { body } = await account().get('/v1/auth/me');
    return send(path.replace('{uid}', body.uid));
  };
  const member = '/v1/account/members/{uid}';
  return [
    ['updateAccount', '400 validation_failed', 'the name is cleared', () => patch('/v1/account', { name: null })],
    [
      'updateAccount',
      '412 precondition_failed',
      'the account has changed since',
      () => account().patch('/v1/account', { name: 'Engines' }, { 'If-Match': '"old"' }),
    ],
    ['deleteAccount', '400 validation_failed', 'the password is missing', () => account().delete('/v1/account')],
    ['keepAccount', '404 not_found', 'no deletion is planned', () => account().delete('/v1/account/deletion')],
    ['keepAccount', '409 invalid_transition', 'the deletion has begun', keepTooLate],
    ['updateAccountMember', '400 validation_failed', 'no role is named', onOwn(member, (path) => patch(path, {}))],
    [
      'updateAccountMember',
      '404 not_found',
      'there is no such user',
      () => patch('/v1/account/members/x', { isAdmin: true }),
    ],
    [
      'updateAccountMember',
      '409 invalid_transition',
      'the user is the last admin',
      onOwn(member, (path) => patch(path, { isAdmin: false })),
    ],
    [
      'removeAccountMember',
      '404 not_found',
      'there is no such user',
      () => account().delete('/v1/account/members/usr_none'),
    ],
    [
      'removeAccountMember',
      '409 invalid_transition',
      'the user is the last admin',
      onOwn(member, (path) => account().delete(path)),
    ],
    [
      'inviteUser',
      '400 validation_failed',
      'two recipients are named',
      () => account().post('/v1/account/invite', { email: 'a@b.example,c@d.example' }),
    ],
    ['inviteUser', '403 limit_exceeded', 'the account is full', inviteIntoFull],
    [
      'inviteUser',
      '409 email_taken',
      'the user is in the account',
      () => account().post('/v1/account/invite', { email: account().email }),
    ],
    [
      'listInvites',
      '400 validation_failed',
      'the cursor is forged',
      () => account().get('/v1/account/invites?cursor=x'),
    ],
    [
      'getInvite',
      '404 invite_not_found',
      'the code is unknown',
      () => service().request('GET', `/v1/account/invites/${noCode}`),
    ],
    [
      'getInvite',
      '410 invite_expired',
      'the invitation was withdrawn',
      async () => service().request('GET', `/v1/account/invites/${await revoked()}`),
    ],
    ['acceptInvite', '400 validation_failed', 'a new user sends no name', async () => accept(noCode, {})],
    ['acceptInvite', '401 unauthorized', 'the access token is invalid', () => accept(noCode, {}, 'x')],
    [
      'acceptInvite',
      '403 forbidden',
      'the invitation is for another user',
      async () => accept(await codeFor(anEmail()), {}, account().token),
    ],
    ['acceptInvite', '403 limit_exceeded', 'the account is full', acceptIntoFull],
    ['acceptInvite', '404 invite_not_found', 'the code is unknown', () => accept(noCode)],
    ['acceptInvite', '409 email_taken', 'a user has the e-mail', acceptWithoutLogin],
    ['acceptInvite', '410 invite_expired', 'the code is withdrawn', async () => accept(await revoked())],
    [
      'revokeInvite',
      '404 invite_not_found',
      'there is no such invitation',
      () => account().delete(`/v1/account/invites/${noCode}`),
    ],
    [
      'revokeInvite',
      '410 invite_expired',
      'the invitation was withdrawn before',
      async () => account().delete(`/v1/account/invites/${await revoked()}`),
    ],
    ['updateMe', '400 validation_failed', 'the name is cleared', () => patch('/v1/auth/me', { name: null })],
    [
      'updateMe',
      '412 precondition_failed',
      'the user has changed since',
      () => account().patch('/v1/auth/me', { name: 'Ada' }, { 'If-Match': '"old"' }),
    ],
    ['createAccount', '400 validation_failed', 'the name is missing', () => account().post('/v1/auth/accounts')],
    ['createAccount', '403 limit_exceeded', 'the user is in 100 accounts', foundTooMany],
  ];

  function patch(path: string, body: object): Promise<ApiResponse> {
    return account().patch(path, body);
  }

  async function keepTooLate(): Promise<ApiResponse> {
    const owner = await service().register();
    await service()
      .app.get(DataSource)
      .query(
        `INSERT INTO account_deletion (account_id, requested_at, requested_by, deletes_at, began_at)
         VALUES ($1, now(), 'operator', now(), now())`,
        [owner.id],
      );
    return owner.delete('/v1/account/deletion');
  }

  async function acceptWithoutLogin(): Promise<ApiResponse> {
    const { email } = await service().register();
    await codeFor(email);
    return accept(await mailedCodes(service().dataDir)('invites', email));
  }

  async function inviteIntoFull(): Promise<ApiResponse> {
    const owner = await service().register();
    await fill(owner, 999);
    return owner.post('/v1/account/invite', { email: anEmail() });
  }

  async function acceptIntoFull(): Promise<ApiResponse> {
    const owner = await service().register();
    const code = await codeFor(anEmail(), owner);
    await fill(owner, 999);
    return accept(code);
  }

  async function foundTooMany(): Promise<ApiResponse> {
    const owner = await service().register();
    await service()
      .app.get(DataSource)
      .query(
        `WITH made AS (INSERT INTO account (id, name, created_at)
           SELECT 'acc_' || $1::text || n, 'Many', now() FROM generate_series(1, 99) n RETURNING id)
         INSERT INTO account_member (account_id, uid, is_admin, created_at)
         SELECT made.id, uid, true, now() FROM made, app_user WHERE email = $2`,
        [randomUUID(), await service().storedEmail(owner.email)],
      );
    return owner.post('/v1/auth/accounts', { name: 'One more' });
  }

  /** Adds this number of users to an account. */
  async function fill({ id }: Account, users: number): Promise<void> {
    await service()
      .app.get(DataSource)
      .query(
        `WITH made AS (INSERT INTO app_user (uid, email, name, created_at)
           SELECT 'usr_' || $1::text || n, $1::text || n || '@example.com', 'Many', now()
           FROM generate_series(1, $2::int) n RETURNING uid)
         INSERT INTO account_member (account_id, uid, is_admin, created_at) SELECT $3, uid, false, now() FROM made`,
        [randomUUID(), users, id],
      );
  }
}
