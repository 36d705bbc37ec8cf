import { type Clock, RecentEntries } from '@passwright/core';
import type { GoogleCredential } from '../accounts/google-credential.js';
import type { GoogleLimits } from '../google-limits.js';
import { signedJwt } from '../signed-jwt.js';
import { exchange, type HttpResponse, NoResponse } from './http-exchange.js';
import { jsonObject, oneLine } from './google-responses.js';

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** The lifetime of an assertion: the longest that Google accepts. */
const ASSERTION_SECONDS = 3600;
const EARLY_SECONDS = 60;
/** The lifetime of a token if the response does not state one. */
const USUAL_SECONDS = 3600;
/** The pause after a rejected credential, so that thousands of jobs do not all request a token. */
const REJECTED_SECONDS = 30;
const MAX_TOKENS = 1000;
/** Matches a token. A token goes into a header, so it may contain only visible ASCII. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/;
/** The OAuth error codes for an invalid credential. @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const CREDENTIAL_ERRORS = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'access_denied'];

/** The token endpoint issued no token. */
export class TokenRejected extends Error {
  /** @param outcome `credential_rejected` when the credential is wrong. @param status null when there was no response */
  constructor(
    readonly outcome: 'credential_rejected' | 'retry',
    readonly status: number | null,
    message: string,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

interface Token {
  readonly text: string;
  readonly usableUntilMs: number;
}
interface Entry {
  /** The running fetch, which all callers share. */
  pending: Promise<Token> | null;
  token: Token | null;
  rejection: { readonly error: TokenRejected; readonly untilMs: number } | null;
}

/**
 * OAuth tokens of service accounts. All callers share one token per credential until a minute before the token expires.
 */
export class AccessTokens {
  private readonly entries = new RecentEntries<string, Entry>(MAX_TOKENS);

  constructor(
    private readonly clock: Clock,
    private readonly limits: GoogleLimits,
  ) {}

  /** Returns a valid token, cached or new. @throws TokenRejected */
  async of(credential: GoogleCredential): Promise<string> {
    const key = `${credential.identity.fingerprint} ${credential.tokenUrl}`;
    let entry = this.entries.get(key);
    if (!entry) this.entries.set(key, (entry = { pending: null, token: null, rejection: null }));
    const now = this.clock.now().getTime();
    if (entry.token && now < entry.token.usableUntilMs) return entry.token.text;
    if (entry.rejection && now < entry.rejection.untilMs) throw entry.rejection.error;
    entry.pending ??= this.renew(entry, credential);
    return (await entry.pending).text;
  }

  /** Discards a rejected token unless a newer one has replaced it. @param token the token that the API rejected */
  forget({ identity, tokenUrl }: GoogleCredential, token: string): void {
    const entry = this.entries.get(`${identity.fingerprint} ${tokenUrl}`);
    if (entry?.token?.text === token) entry.token = null;
  }

  /** Fetches a new token even if a valid one is cached. @throws TokenRejected */
  async fetch(credential: GoogleCredential): Promise<Token> {
    const now = this.clock.now().getTime();
    const result = await this.ask(credential);
    const { access_token, expires_in, error, error_description } = jsonObject(result.text) ?? {};
    if (result.status === 200 && typeof access_token === 'string' && TOKEN.test(access_token)) {
      const seconds = typeof expires_in === 'number' && expires_in > 0 ? expires_in : USUAL_SECONDS;
      return { text: access_token, usableUntilMs: now + (seconds - EARLY_SECONDS) * 1000 };
    }
    const { status, retryAfterSeconds } = result;
    const name = typeof error === 'string' ? error : null;
    const detail = [name, error_description].filter((part) => typeof part === 'string').join(': ');
    const what = oneLine(detail || `status ${status} without a token`);
    if (status >= 400 && status < 500 && name !== null && CREDENTIAL_ERRORS.includes(name)) {
      const message = `Google gives the service account ${credential.identity.clientEmail} no token (${what}).`;
      throw new TokenRejected('credential_rejected', status, message);
    }
    throw new TokenRejected('retry', status, `No token could be obtained (${what}).`, retryAfterSeconds);
  }

  private async renew(entry: Entry, credential: GoogleCredential): Promise<Token> {
    try {
      entry.token = await this.fetch(credential);
      entry.rejection = null;
      return entry.token;
    } catch (error) {
      if (error instanceof TokenRejected && error.outcome === 'credential_rejected') {
        entry.rejection = { error, untilMs: this.clock.now().getTime() + REJECTED_SECONDS * 1000 };
      }
      throw error;
    } finally {
      entry.pending = null;
    }
  }

  /**
   * Requests a token for a signed assertion.
   * @see https://developers.google.com/identity/protocols/oauth2/service-account
   */
  private async ask({ identity, key, tokenUrl }: GoogleCredential): Promise<HttpResponse> {
    const iat = Math.floor(this.clock.now().getTime() / 1000);
    const claims = { iss: identity.clientEmail, scope: SCOPE, aud: tokenUrl, iat, exp: iat + ASSERTION_SECONDS };
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: await signedJwt(claims, key) }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const { requestTimeoutMs: timeoutMs, responseBytes } = this.limits;
    try {
      return await exchange({ method: 'POST', url: tokenUrl, headers, body }, { timeoutMs, responseBytes });
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      throw new TokenRejected('retry', null, `No token could be obtained (${oneLine(error.message)}).`);
    }
  }
}
