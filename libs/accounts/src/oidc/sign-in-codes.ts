import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, Unauthorized } from '@passwright/core';
import { Database } from '@passwright/database';

const TTL_SECONDS = 60;

/** Whom a code signs in, and where. */
export interface SignedIn {
  readonly uid: string;
  readonly accountId: string;
}

/** Codes that hand a sign-in over to another page: single-use, for a minute, kept as hashes. A user has one at a time. */
@Injectable()
export class SignInCodes {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @returns a code of 256 random bits, in base64url */
  async issue({ uid, accountId }: SignedIn): Promise<string> {
    const [code, now] = [randomBytes(32).toString('base64url'), this.clock.now()];
    const expiresAt = new Date(now.getTime() + TTL_SECONDS * 1000);
    await this.database.transaction((tx) =>
      tx.query(
        `INSERT INTO user_code (uid, purpose, code_hash, account_id, expires_at, created_at)
         VALUES ($1, 'sign_in', $2, $3, $4, $5)
         ON CONFLICT (uid, purpose) DO UPDATE SET code_hash = excluded.code_hash, email = NULL,
           account_id = excluded.account_id, expires_at = excluded.expires_at, created_at = excluded.created_at`,
        [uid, hashOf(code), accountId, expiresAt, now],
      ),
    );
    return code;
  }

  /** Works once, also when used twice at the same moment. @throws Unauthorized */
  async redeem(code: string): Promise<SignedIn> {
    const [rows] = await this.database.transaction((tx) =>
      tx.query<[SignedIn[], number]>(
        `DELETE FROM user_code WHERE code_hash = $1 AND purpose = 'sign_in' AND expires_at > $2
         RETURNING uid, account_id AS "accountId"`,
        [hashOf(code), this.clock.now()],
      ),
    );
    if (rows[0]) return rows[0];
    throw new Unauthorized('The code was used before or has expired; sign in again: GET /v1/auth/oidc/start.');
  }
}

/** The code is random, so a fast hash is as good as a slow one. */
function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
