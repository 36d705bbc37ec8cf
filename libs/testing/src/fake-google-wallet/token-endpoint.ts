import { randomBytes } from 'node:crypto';
import { compactJwt } from './compact-jwt.js';
import type { GoogleReply } from './google-rejection.js';
import type { ServiceAccounts, TestServiceAccount } from './service-accounts.js';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
/** The audience in the assertions of OAuth libraries, even with another token address. */
const GOOGLE_AUDIENCE = 'https://oauth2.googleapis.com/token';
const HOUR_SECONDS = 3600;
const LEEWAY_SECONDS = 300;

/**
 * Issues access tokens for assertions of service accounts (RFC 7523), like Google.
 * @see https://developers.google.com/identity/protocols/oauth2/service-account#httprest
 */
export class TokenEndpoint {
  private readonly tokens = new Map<string, { readonly account: TestServiceAccount; readonly until: number }>();

  constructor(
    private readonly accounts: ServiceAccounts,
    private readonly tokenUrl: () => string,
    private readonly now: () => Date,
  ) {}

  /** Handles a token request. @param form the URL-encoded body */
  grant(form: string): GoogleReply {
    const fields = new URLSearchParams(form);
    if (fields.get('grant_type') !== GRANT_TYPE) return rejected('unsupported_grant_type', 'Invalid grant_type.');
    const account = this.assertedBy(fields.get('assertion') ?? '');
    if ('status' in account) return account;
    const access_token = `ya29.${randomBytes(24).toString('base64url')}`;
    this.tokens.set(access_token, { account, until: this.now().getTime() + HOUR_SECONDS * 1000 });
    return { status: 200, body: { access_token, expires_in: HOUR_SECONDS - 1, token_type: 'Bearer' } };
  }

  /** Returns the service account of the token in an Authorization header; null if the token is missing or expired. */
  holder(authorization: string | undefined): TestServiceAccount | null {
    const token = this.tokens.get(/^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '');
    return token && token.until > this.now().getTime() ? token.account : null;
  }

  /** Expires all tokens issued so far. */
  expireAll(): void {
    this.tokens.clear();
  }

  private assertedBy(assertion: string): TestServiceAccount | GoogleReply {
    const jwt = compactJwt(assertion);
    if (!jwt) return rejected('invalid_grant', 'Bad Request: the assertion is no JWT.');
    const { iss, aud, iat, exp, scope } = jwt.claims;
    const account = this.accounts.find(iss);
    if (!account) return rejected('invalid_grant', 'Invalid grant: account not found');
    const key = this.accounts.publicKey(account);
    const keyId = jwt.header['kid'];
    if (!key || (keyId !== undefined && keyId !== account.privateKeyId) || !jwt.isSignedBy(key))
      return rejected('invalid_grant', 'Invalid JWT Signature.');
    if (aud !== GOOGLE_AUDIENCE && aud !== this.tokenUrl())
      return rejected('invalid_grant', `Invalid JWT: aud must be "${GOOGLE_AUDIENCE}".`);
    if (!this.isTimely(iat, exp))
      return rejected(
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    if (!String(scope).split(' ').includes(SCOPE)) return rejected('invalid_scope', `The scope must be "${SCOPE}".`);
    return account;
  }

  private isTimely(iat: unknown, exp: unknown): boolean {
    if (!Number.isInteger(iat) || !Number.isInteger(exp)) return false;
    const [from, to, now] = [Number(iat), Number(exp), this.now().getTime() / 1000];
    return from <= now + LEEWAY_SECONDS && to > now && to > from && to - from <= HOUR_SECONDS;
  }
}

function rejected(error: string, description: string): GoogleReply {
  return { status: 400, body: { error, error_description: description } };
}
