import type { MasterKey } from '@passwright/core';
import type { AttemptLimits } from './attempt-limits.js';

/** Options of `AccountsModule.forRoot`. */
export abstract class AccountsOptions {
  /**
   * Signs access tokens and invitation codes (HMAC-SHA-256). At least 32 characters, the same on every node. Changing
   * the secret invalidates all tokens and codes.
   */
  abstract readonly accessTokenSecret: string;
  /** Lifetime of an access token. 15 minutes is typical. */
  abstract readonly accessTokenTtlSeconds: number;
  /** Lifetime of a session that is not refreshed. 30 days is typical. */
  abstract readonly refreshTokenTtlSeconds: number;
  /** Maximum number of accounts that a user can create, not counting deleted ones. Default: 20. */
  abstract readonly accountsPerFounder?: number;
  /** Minimum number of days for which audit events are stored. The service deletes whole months. Default: 400. */
  abstract readonly auditRetentionDays?: number;
  /** Overrides for `defaultAttemptLimits`. */
  abstract readonly attemptLimits?: Partial<AttemptLimits>;
  /** Encryption of names, e-mail addresses and member data. Default: no encryption. */
  abstract readonly personalData?: PersonalDataOptions;
  /** Number of cores that this process may use. Password checks use half of them. Default: all cores of the machine. */
  abstract readonly cores?: number;
}

/** Encryption of personal data at rest. */
export interface PersonalDataOptions {
  /**
   * The first master key encrypts account keys; every master key can decrypt them. The list must be the same on every
   * node, and the same as for `EncryptedSecretsModule` of `@passwright/wallet-credentials`.
   */
  readonly masterKeys: readonly MasterKey[];
  /** If false, accounts without a key do not get one, and the service stores their new data unencrypted. */
  readonly encrypts: boolean;
}
