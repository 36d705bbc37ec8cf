import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, TokenExpired, Unauthorized } from '@passwright/core';
import { sign, TokenExpiredError, verify, type JwtPayload } from 'jsonwebtoken';
import { AccountsOptions } from '../accounts.options.js';

const ALGORITHM = 'HS256';
const ISSUER = 'passwright';
const AUDIENCE = 'passwright-api';
const ISSUED_AHEAD_SECONDS = 60;

/** The claims of an access token. */
export interface AccessClaims {
  readonly uid: string;
  /** The active account. */
  readonly accountId: string;
  readonly sessionId: string;
}

/** Signs and verifies access tokens: JSON Web Tokens with HMAC-SHA-256. */
@Injectable()
export class AccessTokens {
  private readonly key: KeyObject;

  constructor(
    private readonly options: AccountsOptions,
    private readonly clock: Clock,
  ) {
    this.key = createSecretKey(options.accessTokenSecret, 'utf8');
  }

  /** The lifetime of a token. */
  get ttlSeconds(): number {
    return this.options.accessTokenTtlSeconds;
  }

  issue({ uid, accountId, sessionId }: AccessClaims): string {
    const iat = this.nowSeconds();
    const claims = { sub: uid, acc: accountId, sid: sessionId, iat, exp: iat + this.ttlSeconds };
    return sign(claims, this.key, { algorithm: ALGORITHM, issuer: ISSUER, audience: AUDIENCE });
  }

  /**
   * Returns the claims of a token. Does not check that its session is still open. @throws TokenExpired. @throws
   * Unauthorized
   */
  read(token: string): AccessClaims {
    const { sub: uid, acc: accountId, sid: sessionId, exp, iat } = this.verified(token) as Record<string, unknown>;
    // Reject a token without an expiry, which the library would accept forever.
    if (typeof exp !== 'number') throw notOurs();
    // Reject a token that a node with a clock ahead has issued, because it would be valid for too long.
    if (typeof iat !== 'number' || iat > this.nowSeconds() + ISSUED_AHEAD_SECONDS) throw notOurs();
    if (typeof uid !== 'string' || typeof accountId !== 'string' || typeof sessionId !== 'string') throw notOurs();
    return { uid, accountId, sessionId };
  }

  private verified(token: string): JwtPayload | string {
    try {
      return verify(token, this.key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        clockTimestamp: this.nowSeconds(),
      });
    } catch (error) {
      // Only our own tokens get `token_expired`, because the library checks the signature first.
      if (!(error instanceof TokenExpiredError)) throw notOurs();
      throw new TokenExpired(
        `The access token expired at ${error.expiredAt.toISOString()}; get another one: POST /v1/auth/refresh.`,
      );
    }
  }

  private nowSeconds(): number {
    return Math.floor(this.clock.now().getTime() / 1000);
  }
}

function notOurs(): Unauthorized {
  return new Unauthorized(
    'This is neither an access token of this service nor an API key; log in: POST /v1/auth/login.',
  );
}
