import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GoogleWallet, Tagged, WalletUnavailable, type GoogleIdentity } from '@passwright/core';
import { ServiceAccountsCache } from './service-accounts-cache.js';
import type { GoogleServiceAccountResponse } from './google-service-account.dto.js';
import { IssuerUseService } from './issuer-use.service.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts.repository.js';

/** Under whose name the passes of an account are at Google Wallet. */
@Injectable()
export class IssuerOverviewService {
  constructor(
    private readonly repository: GoogleServiceAccountsRepository,
    private readonly use: IssuerUseService,
    private readonly serviceAccounts: ServiceAccountsCache,
    private readonly google: GoogleWallet,
  ) {}

  /** Its own issuer, else the operator's; also one that cannot be used, with the reason. */
  async describe(accountId: string): Promise<GoogleServiceAccountResponse> {
    // What another node has changed is seen with the row, not up to a second after it.
    this.serviceAccounts.expire(accountId);
    const [own, { identity, problem }] = await Promise.all([this.repository.find(accountId), this.present(accountId)]);
    const halt = identity && (await this.use.findHalt(accountId, identity.fingerprint));
    const operators = identity?.development ? 'development' : 'operator';
    return {
      source: own ? 'account' : operators,
      issuerId: own?.issuerId ?? identity?.issuerId ?? null,
      clientEmail: own?.clientEmail ?? identity?.clientEmail ?? null,
      development: identity?.development ?? false,
      uploadedAt: own?.uploadedAt.toISOString() ?? null,
      state: problem !== null || halt ? 'halted' : 'working',
      problem: problem ?? halt?.reason ?? null,
      retryAt: halt?.retryAt.toISOString() ?? null,
    };
  }

  private async present(accountId: string): Promise<{ identity: GoogleIdentity | null; problem: string | null }> {
    try {
      return { identity: await this.google.identity(accountId), problem: null };
    } catch (error) {
      if (!(error instanceof WalletUnavailable)) throw error;
      return { identity: null, problem: error.message };
    }
  }
}

/** Tagged by its content, as it changes with Google's answers too; what came of a check is no part of it. */
export function tagged<T extends object>(answer: T, response: GoogleServiceAccountResponse): Tagged<T> {
  const hash = createHash('sha256').update(JSON.stringify(response)).digest('base64url');
  return new Tagged(answer, `"${hash.slice(0, 22)}"`);
}
