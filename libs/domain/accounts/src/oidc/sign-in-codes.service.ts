import { Injectable } from '@nestjs/common';
import { Clock, Unauthorized } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { newUserCode, userCodeHash } from '../credentials/user-codes.js';
import { UserCodesRepository } from '../credentials/user-codes.repository.js';

const TTL_SECONDS = 60;

/** The user and account that a code signs in. */
export interface SignedIn {
  readonly uid: string;
  readonly accountId: string;
}

/**
 * Issues and redeems codes that hand a sign-in over to another page. A code works once, within a minute, and is stored
 * as a hash. A user has at most one code.
 */
@Injectable()
export class SignInCodes {
  constructor(
    private readonly repository: UserCodesRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async issue(tx: EntityManager, { uid, accountId }: SignedIn): Promise<string> {
    const [code, now] = [newUserCode(), this.clock.now()];
    const expiresAt = new Date(now.getTime() + TTL_SECONDS * 1000);
    const stored = { uid, purpose: 'sign_in' as const, codeHash: userCodeHash(code), email: null, accountId };
    await this.repository.put(tx, { ...stored, expiresAt, createdAt: now });
    return code;
  }

  /**
   * Redeems a code. Of several simultaneous calls, only one succeeds.
   * @param then opens the session in the same transaction. A concurrent password reset waits for this transaction, and
   * so ends this session too.
   * @throws Unauthorized
   */
  redeem<T>(code: string, then: (tx: EntityManager, signedIn: SignedIn) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      const taken = await this.repository.take(tx, 'sign_in', userCodeHash(code), this.clock.now());
      if (taken?.accountId) return then(tx, { uid: taken.uid, accountId: taken.accountId });
      throw new Unauthorized('The code was used before or has expired; sign in again: GET /v1/auth/oidc/start.');
    });
  }
}
