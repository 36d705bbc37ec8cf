import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import type { ErrorCase } from './device-error-cases.js';
import type { Account, RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
  readonly account: () => Account;
}

const noCode = 'A'.repeat(43);
const newPassword = 'a cat walked over my keyboard';

/** Returns the error cases of users' credentials, sessions, and pages linked from mails. */
export function credentialsErrorCases({ service, account }: Driven): ErrorCase[] {
  const send = (path: string, body: object) => () => service().request('POST', `/v1/auth/${path}`, { body });
  const sendOwn = (path: string, body: object) => () => account().post(`/v1/auth/${path}`, body);
  const forms = [
    ['sendPasswordReset', '/password/reset'],
    ['sendForgotPassword', '/password/forgot'],
    ['sendEmailConfirmation', '/email/confirm'],
    ['sendInvitePage', `/invites/${noCode}A`],
  ] as const;
  return [
    ['forgotPassword', '400 validation_failed', 'the e-mail is malformed', send('password/forgot', { email: 'ada' })],
    [
      'resetPassword',
      '400 validation_failed',
      'the password is short',
      send('password/reset', { code: noCode, password: 'short' }),
    ],
    [
      'resetPassword',
      '401 unauthorized',
      'the code is unknown',
      send('password/reset', { code: noCode, password: newPassword }),
    ],
    [
      'changePassword',
      '400 validation_failed',
      'the new password is missing',
      sendOwn('password', { currentPassword: 'x' }),
    ],
    [
      'listAgentPlans',
      '400 validation_failed',
      'the cursor is made up',
      () => account().get('/v1/account/plans?cursor=x'),
    ],
    [
      'getAgentPlan',
      '404 not_found',
      'there is no such plan',
      () => account().get('/v1/account/plans/0123456789012345678901'),
    ],
    [
      'confirmAgentPlan',
      '404 not_found',
      'there is no such plan',
      () => account().post('/v1/account/plans/0123456789012345678901/confirm'),
    ],
    [
      'rejectAgentPlan',
      '404 not_found',
      'there is no such plan',
      () => account().delete('/v1/account/plans/0123456789012345678901'),
    ],
    ['createApiKey', '403 limit_exceeded', 'the account has 100 keys', () => oneKeyMore(service())],
    [
      'changeEmail',
      '400 validation_failed',
      'the e-mail is malformed',
      sendOwn('email', { email: 'ada', password: 'x' }),
    ],
    ['confirmEmail', '400 validation_failed', 'the code is malformed', send('email/confirm', { code: 'x' })],
    ['confirmEmail', '401 unauthorized', 'the code is unknown', send('email/confirm', { code: noCode })],
    ['confirmEmail', '409 email_taken', 'another user came first', () => confirmTaken(service())],
    [
      'listSessions',
      '400 validation_failed',
      'the cursor is made up',
      () => account().get('/v1/auth/sessions?cursor=abc'),
    ],
    [
      'revokeSession',
      '404 not_found',
      'there is no such session',
      () => account().delete('/v1/auth/sessions/ses_none'),
    ],
    ...forms.flatMap(([operation, path]): ErrorCase[] => [
      [
        operation,
        '413 payload_too_large',
        'the form is over 8 KiB',
        () => service().request('POST', path, { body: `code=${'x'.repeat(2 ** 13)}` }),
      ],
      [
        operation,
        '415 unsupported_media_type',
        'the encoding is not known',
        () => service().request('POST', path, { body: 'code=x', headers: { 'Content-Encoding': 'zstd' } }),
      ],
    ]),
  ];
}

/** Confirms an address that another user already has. Creates the code in the database. */
async function confirmTaken(service: RunningService) {
  const [owner, other] = [await service.register(), await service.register()];
  const code = Buffer.from(randomUUID().slice(0, 32)).toString('base64url');
  await service.app.get(DataSource).query(
    `INSERT INTO user_code (uid, purpose, code_hash, email, expires_at, created_at)
     SELECT uid, 'email', sha256($2::bytea), $3, now() + interval '1 hour', now() FROM app_user WHERE email = $1`,
    [await service.storedEmail(owner.email), Buffer.from(code), other.email],
  );
  return service.request('POST', '/v1/auth/email/confirm', { body: { code } });
}

/** Requests one key more than the maximum. */
async function oneKeyMore(service: RunningService) {
  const full = await service.register();
  await full.apiKey();
  await service.app.get(DataSource).query(
    `INSERT INTO api_key (account_id, id, name, secret_hash, scopes, created_at)
     SELECT k.account_id, 'more-' || k.account_id || n, k.name, k.secret_hash, k.scopes, k.created_at
     FROM api_key k, generate_series(2, 100) n WHERE k.account_id = $1`,
    [full.id],
  );
  return full.post('/v1/auth/keys', { name: 'One more' });
}
