import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, TokenExpired, Unauthorized } from '@passwright/core';
import { sign, TokenExpiredError, verify, type JwtPayload } from 'jsonwebtoken';
import { AccountsOptions } from '../accounts.options.js';

const ALGORITHM = 'HS256';
const ISSUER = 'passwright';
const AUDIENCE = 'passwright-api';
const ISSUED_AHEAD_SECONDS = 60;

/** What an access token says. */
export interface AccessClaims {
  readonly uid: string;
  /** The active account. */
  readonly accountId: string;
  readonly sessionId: string;
}

/** JSON Web Tokens, signed with HMAC-SHA-256 and nothing else. */
@Injectable()
export class AccessTokens {
  private readonly key: KeyObject;

  constructor(
    private readonly options: AccountsOptions,
    private readonly clock: Clock,
  ) {
    this.key = createSecretKey(options.accessTokenSecret, 'utf8');
  }

  issue({ uid, accountId, sessionId }: AccessClaims): string {
    const iat = this.nowSeconds();
    const claims = { sub: uid, acc: accountId, sid: sessionId, iat, exp: iat + this.options.accessTokenTtlSeconds };
    return sign(claims, this.key, { algorithm: ALGORITHM, issuer: ISSUER, audience: AUDIENCE });
  }

  /** What the token says; whether its session still lives is another question. @throws TokenExpired. @throws Unauthorized */
  read(token: string): AccessClaims {
    const { sub: uid, acc: accountId, sid: sessionId, exp, iat } = this.verified(token) as Record<string, unknown>;
    // The library takes a token without an end as one that never ends.
    if (typeof exp !== 'number') throw notOurs();
    // Issued while a clock was wrong: it would be valid for as long as the clock was off.
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
      // The signature is checked first: only a token of ours is told that it expired.
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
