import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, Unauthorized } from '@passwright/core';
import { Database } from '@passwright/database';
import { UserCodesRepository } from '../credentials/user-codes.repository.js';

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
    private readonly repository: UserCodesRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @returns a code of 256 random bits, in base64url */
  async issue({ uid, accountId }: SignedIn): Promise<string> {
    const [code, now] = [randomBytes(32).toString('base64url'), this.clock.now()];
    const expiresAt = new Date(now.getTime() + TTL_SECONDS * 1000);
    const kept = { uid, purpose: 'sign_in' as const, codeHash: hashOf(code), email: null, accountId };
    await this.database.transaction((tx) => this.repository.put(tx, { ...kept, expiresAt, createdAt: now }));
    return code;
  }

  /** Works once, also when used twice at the same moment. @throws Unauthorized */
  async redeem(code: string): Promise<SignedIn> {
    const taken = await this.database.transaction((tx) =>
      this.repository.take(tx, 'sign_in', hashOf(code), this.clock.now()),
    );
    if (taken?.accountId) return { uid: taken.uid, accountId: taken.accountId };
    throw new Unauthorized('The code was used before or has expired; sign in again: GET /v1/auth/oidc/start.');
  }
}

/** The code is random, so a fast hash is as good as a slow one. */
function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
