import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Unauthorized, type Principal } from '@passwright/core';
import { looksLikeApiKey } from '../api-keys/api-key-format.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { AccessTokens, type AccessClaims } from './access-tokens.service.js';
import { bearerToken } from './bearer-token.js';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { scopesOf } from '../accounts/role-scopes.js';

/** Long requests with the same credential share one look-up of the credential for this time. */
const SHARED_LOOK_MS = 1000;

/** Finds the principal of a bearer token, with one query. */
@Injectable()
export class Authenticator {
  private readonly looks = new Map<string, Promise<Principal>>();

  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly sessions: SessionsService,
    private readonly apiKeys: ApiKeysService,
    private readonly throttle: CredentialThrottle,
  ) {}

  /**
   * Returns the principal of a token.
   * @throws Unauthorized.
   * @throws TokenExpired.
   * @throws RateLimited for an invalid token if the IP address has sent too many invalid ones
   */
  authenticate(token: string, ip: string | undefined, isWrite = false): Promise<Principal> {
    return this.throttle.countIfBad(ip, () =>
      looksLikeApiKey(token) ? this.apiKeys.authenticate(token, isWrite) : this.user(token),
    );
  }

  /**
   * Checks the credential of a request in progress again, and returns the current principal. Accepts an expired access
   * token, but not an ended session.
   * @throws Unauthorized if the credential was revoked or has expired
   */
  recheck(principal: Principal, token: string): Promise<Principal> {
    const { kind, accountId, sessionId } = principal;
    // Use the token and not the key's id, because a request with an old secret must not share the look-up of the new
    // one.
    const credential = `${kind}/${accountId}/${sessionId ?? token}`;
    const recent = this.looks.get(credential);
    if (recent) return recent;
    const look = this.lookAgain(principal, token);
    this.looks.set(credential, look);
    setTimeout(() => this.looks.delete(credential), SHARED_LOOK_MS).unref();
    return look;
  }

  private lookAgain({ kind, id: uid, accountId, sessionId }: Principal, token: string): Promise<Principal> {
    return kind === 'apiKey' || sessionId === undefined
      ? this.apiKeys.authenticate(token)
      : this.ofSession({ uid, accountId, sessionId });
  }

  /**
   * Authenticates a caller of a public route. Returns null if the request has no `Authorization` header. @throws the
   * same errors as `authenticate`
   */
  async authenticateIfAsked(
    request: Pick<IncomingMessage, 'headersDistinct'> & { readonly ip?: string },
  ): Promise<Principal | null> {
    if (request.headersDistinct.authorization === undefined) return null;
    return this.authenticate(bearerToken(request), request.ip);
  }

  private user(token: string): Promise<Principal> {
    return this.ofSession(this.accessTokens.read(token));
  }

  private async ofSession({ uid, accountId, sessionId }: AccessClaims): Promise<Principal> {
    const role = await this.sessions.findRole({ accountId, sessionId }, uid);
    if (!role) {
      throw new Unauthorized(
        'The session was ended, or the user is no longer in the account; log in: POST /v1/auth/login.',
      );
    }
    const { accountDeletesAt } = role;
    const principal = { kind: 'user', id: uid, sessionId, accountId, scopes: scopesOf(role) } as const;
    return accountDeletesAt ? { ...principal, accountDeletesAt } : principal;
  }
}
