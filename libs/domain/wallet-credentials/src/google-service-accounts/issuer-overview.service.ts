import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GoogleWallet, Tagged, WalletUnavailable, type GoogleIdentity } from '@passwright/core';
import { ServiceAccountsCache } from './service-accounts-cache.js';
import type { GoogleServiceAccountResponse } from './google-service-account.dto.js';
import { IssuerUseService } from './issuer-use.service.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts.repository.js';

/** Describes the issuer of an account's passes at Google Wallet. */
@Injectable()
export class IssuerOverviewService {
  constructor(
    private readonly repository: GoogleServiceAccountsRepository,
    private readonly use: IssuerUseService,
    private readonly serviceAccounts: ServiceAccountsCache,
    private readonly google: GoogleWallet,
  ) {}

  /** Describes the account's own issuer, or else the operator's. If the issuer is unusable, includes the reason. */
  async describe(accountId: string): Promise<GoogleServiceAccountResponse> {
    // Read the current credential, because another node may have changed it within the last second.
    this.serviceAccounts.expire(accountId);
    const [own, { identity, problem }] = await Promise.all([this.repository.find(accountId), this.present(accountId)]);
    const circuit = identity && (await this.use.findCircuit(accountId, identity.fingerprint));
    const operators = identity?.development ? 'development' : 'operator';
    return {
      source: own ? 'account' : operators,
      issuerId: own?.issuerId ?? identity?.issuerId ?? null,
      clientEmail: own?.clientEmail ?? identity?.clientEmail ?? null,
      development: identity?.development ?? false,
      uploadedAt: own?.uploadedAt.toISOString() ?? null,
      state: problem !== null || circuit ? 'halted' : 'working',
      problem: problem ?? circuit?.reason ?? null,
      retryAt: circuit?.retryAt.toISOString() ?? null,
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

/**
 * Adds an entity tag to `reply`. The tag is a hash of `response`, so it changes when Google begins to reject or accept
 * the credential. It ignores the result of a test, which only `reply` contains.
 */
export function tagged<T extends object>(reply: T, response: GoogleServiceAccountResponse): Tagged<T> {
  const hash = createHash('sha256').update(JSON.stringify(response)).digest('base64url');
  return new Tagged(reply, `"${hash.slice(0, 22)}"`);
}
