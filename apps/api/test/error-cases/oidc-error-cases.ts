import { randomUUID } from 'node:crypto';
import { IdentityProvider, type ProvenIdentity } from '@passwright/accounts';
import { DataSource } from 'typeorm';
import type { ErrorCase } from './device-error-cases.js';
import type { Account, ApiResponse, RunningService } from '../support/running-service.js';
import { consentOf, tokenOf } from '../support/sign-in-browser.js';

interface Driven {
  /** A service without a provider. */
  readonly off: () => RunningService;
  /** A service that was started with `unreachableProvider`. */
  readonly on: () => RunningService;
}

/** A provider that does not respond. No server listens on port 9, which RFC 863 reserves. */
export const unreachableProvider = {
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'passwright',
  OIDC_CLIENT_SECRET: 'secret',
};

const stranger: ProvenIdentity = { issuer: 'https://id.example.com', subject: randomUUID(), email: null, name: null };

/** Returns the error cases of sign-in by OpenID Connect. */
export function oidcErrorCases({ off, on }: Driven): ErrorCase[] {
  const start = (service: RunningService, query = '') => service.request('GET', `/v1/auth/oidc/start${query}`);
  const token = (service: RunningService, body: object) => service.request('POST', '/v1/auth/oidc/token', { body });
  const callback = (service: RunningService, query: string, cookie = '') =>
    service.request('GET', `/v1/auth/oidc/callback${query}`, { headers: { Cookie: cookie } });
  /** Sends the browser from the provider back to the service. */
  const comeBack = async (query = ''): Promise<ApiResponse> => {
    const provider = on().app.get(IdentityProvider);
    const sent = jest
      .spyOn(provider, 'addressFor')
      .mockImplementation(({ state }) => Promise.resolve(`http://x/?state=${state}`));
    const { headers } = await start(on(), query).finally(() => sent.mockRestore());
    const { search } = new URL(headers.get('location') ?? '');
    return callback(on(), `${search}&code=x`, headers.get('set-cookie')?.split(';', 1)[0]);
  };
  const comeBackAs =
    (identity: ProvenIdentity, inviteOf: (email: string) => Promise<string> | string = () => '') =>
    async () => {
      const invite = await inviteOf(identity.email ?? '');
      const proven = jest.spyOn(on().app.get(IdentityProvider), 'redeem').mockResolvedValue(identity);
      return comeBack(invite && `?invite=${invite}`).finally(() => proven.mockRestore());
    };
  const confirm = (service: RunningService, token = '', cookie = '') =>
    service.request('POST', '/v1/auth/oidc/confirm', {
      body: new URLSearchParams({ token }).toString(),
      headers: { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  /** Shows the consent page of an invitation, runs `happens`, and agrees. */
  const agreeAfter = (happens: (code: string, owner: Account, email: string) => Promise<unknown>) => async () => {
    const [owner, person] = [await off().register(), aPerson()];
    const { body } = await owner.post('/v1/account/invite', { email: person.email });
    const page = await comeBackAs(person, () => body.code)();
    await happens(body.code, owner, person.email ?? '');
    return confirm(on(), tokenOf(page), consentOf(page));
  };
  const agreeAsRemoved = async () => {
    const { email, id } = await off().register();
    const page = await comeBackAs({ ...aPerson(), email })();
    await sql('DELETE FROM account_member WHERE account_id = $1', [id]);
    return confirm(on(), tokenOf(page), consentOf(page));
  };
  const sql = (text: string, values: unknown[]) => on().app.get(DataSource).query(text, values);
  const aPerson = (): ProvenIdentity => ({ ...stranger, subject: randomUUID(), email: `${randomUUID()}@example.com` });
  const revoked = async (email: string): Promise<string> => {
    const owner = await off().register();
    const { body } = await owner.post('/v1/account/invite', { email });
    await owner.delete(`/v1/account/invites/${body.code}`);
    return body.code;
  };
  const fill = async (owner: Account): Promise<void> => {
    await on()
      .app.get(DataSource)
      .query(
        `WITH made AS (INSERT INTO app_user (uid, email, name, created_at)
           SELECT 'usr_' || $1::text || n, $1::text || n || '@example.com', 'Many', now() FROM generate_series(1, 999) n
           RETURNING uid)
         INSERT INTO account_member (account_id, uid, is_admin, created_at) SELECT $2, uid, false, now() FROM made`,
        [randomUUID(), owner.id],
      );
  };
  const intoFull = async (email: string): Promise<string> => {
    const owner = await off().register();
    const { body } = await owner.post('/v1/account/invite', { email });
    await fill(owner);
    return body.code;
  };
  return [
    [
      'startSignIn',
      '400 validation_failed',
      'returnTo is not allowed',
      () => start(on(), '?returnTo=https://x.example'),
    ],
    ['startSignIn', '404 not_found', 'no provider is set up', () => start(off())],
    ['startSignIn', '503 not_ready', 'the provider does not respond', () => start(on())],
    ['completeSignIn', '400 validation_failed', 'the query is not UTF-8', () => callback(on(), '?code=%FF')],
    ['completeSignIn', '401 unauthorized', 'the browser has begun no sign-in', () => callback(on(), '?code=x&state=x')],
    ['completeSignIn', '403 forbidden', 'the identity belongs to no user', comeBackAs(stranger)],
    ['completeSignIn', '404 not_found', 'no provider is set up', () => callback(off(), '?code=x&state=x')],
    ['completeSignIn', '403 limit_exceeded', 'the account that invites is full', comeBackAs(aPerson(), intoFull)],
    [
      'completeSignIn',
      '404 invite_not_found',
      'there is no such invitation',
      comeBackAs(aPerson(), () => 'A'.repeat(44)),
    ],
    ['completeSignIn', '410 invite_expired', 'the invitation was withdrawn', comeBackAs(aPerson(), revoked)],
    ['completeSignIn', '503 not_ready', 'the provider does not respond', () => comeBack()],
    ['confirmSignIn', '401 unauthorized', 'the browser was shown no consent page', () => confirm(on())],
    ['confirmSignIn', '404 not_found', 'no provider is set up', () => confirm(off())],
    ['confirmSignIn', '413 payload_too_large', 'the form is over 8 KiB', () => confirm(on(), 'x'.repeat(2 ** 13))],
    [
      'confirmSignIn',
      '415 unsupported_media_type',
      'the encoding is not known',
      () => on().request('POST', '/v1/auth/oidc/confirm', { body: 'token=x', headers: { 'Content-Encoding': 'zstd' } }),
    ],
    ['confirmSignIn', '403 forbidden', 'the user has left the last account', agreeAsRemoved],
    ['confirmSignIn', '403 limit_exceeded', 'the account has become full', agreeAfter((_, owner) => fill(owner))],
    [
      'confirmSignIn',
      '404 invite_not_found',
      'the invitation was deleted since',
      agreeAfter((code) => sql('DELETE FROM invite WHERE id = $1', [code.slice(0, 22)])),
    ],
    [
      'confirmSignIn',
      '410 invite_expired',
      'the invitation was withdrawn since',
      agreeAfter((code, owner) => owner.delete(`/v1/account/invites/${code.slice(0, 22)}`)),
    ],
    ['redeemSignInCode', '400 validation_failed', 'the code is missing', () => token(on(), {})],
    ['redeemSignInCode', '401 unauthorized', 'the code is unknown', () => token(on(), { code: 'x' })],
    ['redeemSignInCode', '404 not_found', 'no provider is set up', () => token(off(), { code: 'x' })],
  ];
}
