import { Injectable } from '@nestjs/common';
import {
  GoogleWallet,
  requireSettingsMatch,
  settingsTag,
  Tagged,
  WalletUnavailable,
  type GoogleIdentity,
  type IfMatch,
} from '@passwright/core';
import { ServiceAccountsCache } from './service-accounts-cache.js';
import type { GoogleServiceAccountResponse } from './google-service-account.dto.js';
import { IssuerUseService } from './issuer-use.service.js';
import { GoogleServiceAccountsRepository } from './google-service-accounts.repository.js';
import type { StoredServiceAccount } from './stored-service-account.entity.js';

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
 * Adds an entity tag to `reply`: the account's own service account and a hash of `response`. The hash changes when Google
 * begins to reject or accept the credential, so a conditional change ignores it. The tag ignores the result of a test,
 * which only `reply` contains.
 */
export function tagged<T extends object>(reply: T, response: GoogleServiceAccountResponse): Tagged<T> {
  const { source, issuerId, clientEmail, uploadedAt } = response;
  const own = source === 'account' ? [issuerId, clientEmail, uploadedAt] : null;
  return new Tagged(reply, settingsTag(own, response));
}

/**
 * Requires that the account's own service account has not changed since the caller read it. @param current null without
 * an own service account. @throws PreconditionFailed
 */
export function requireServiceAccount(ifMatch: IfMatch, current: StoredServiceAccount | null): void {
  const own = current && [current.issuerId, current.clientEmail, current.uploadedAt];
  requireSettingsMatch(ifMatch, 'service account', own);
}
