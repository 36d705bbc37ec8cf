import type { MasterKey } from '@passwright/core';

/** A rate limit: `attempts` in each window of `seconds`. */
export interface AttemptLimit {
  readonly attempts: number;
  readonly seconds: number;
}

/**
 * Rate limits on logins, mails and other attempts. The database counts attempts, so each limit applies across all
 * nodes. An IPv6 address counts as its /64 network.
 */
export interface AttemptLimits {
  /** Failed logins per IP address, across all users. */
  readonly loginsPerAddress: AttemptLimit;
  /** Failed logins with one e-mail from one IP address. A successful login resets the count. */
  readonly loginsPerEmailAndAddress: AttemptLimit;
  /**
   * Failed logins with one e-mail from all IP addresses together, except addresses from which the user has signed in
   * before.
   */
  readonly loginsPerEmail: AttemptLimit;
  /** Registrations per IP address. */
  readonly registrationsPerAddress: AttemptLimit;
  /**
   * Registrations with an e-mail that is already taken, per IP address. Over the limit, the service rejects every
   * registration from the address, which hides the taken e-mails from its caller.
   */
  readonly takenEmailsPerAddress: AttemptLimit;
  /**
   * Invalid access tokens, API keys, refresh tokens and codes per IP address. Over the limit, valid credentials still
   * work.
   */
  readonly badCredentialsPerAddress: AttemptLimit;
  /** Password reset mails requested from one IP address. */
  readonly passwordMailsPerAddress: AttemptLimit;
  /**
   * Reset mails to one e-mail, requested from any IP address. Over the limit, the service still accepts every request,
   * but sends only one mail every five minutes.
   */
  readonly passwordMailsPerEmail: AttemptLimit;
  /** Requested e-mail changes per user. Each request sends a mail to an address that the user chooses. */
  readonly emailChangesPerUser: AttemptLimit;
  /** Requested deletions per account. Each request sends a mail to all admins. */
  readonly deletionsPerAccount: AttemptLimit;
  /** Invitations sent by all accounts of one founder. */
  readonly invitesPerFounder: AttemptLimit;
  /** Invitations sent by all accounts of one founder to one e-mail. */
  readonly invitesPerEmail: AttemptLimit;
  /** Invitations sent by all accounts to one e-mail. The first invitation from each founder does not count. */
  readonly invitesPerEmailOverall: AttemptLimit;
}

/** The limits that apply unless the options override them. */
export const defaultAttemptLimits: AttemptLimits = {
  loginsPerAddress: { attempts: 100, seconds: 900 },
  loginsPerEmailAndAddress: { attempts: 10, seconds: 900 },
  loginsPerEmail: { attempts: 50, seconds: 900 },
  registrationsPerAddress: { attempts: 300, seconds: 3600 },
  takenEmailsPerAddress: { attempts: 10, seconds: 3600 },
  badCredentialsPerAddress: { attempts: 300, seconds: 60 },
  passwordMailsPerAddress: { attempts: 100, seconds: 3600 },
  passwordMailsPerEmail: { attempts: 10, seconds: 3600 },
  emailChangesPerUser: { attempts: 20, seconds: 86_400 },
  deletionsPerAccount: { attempts: 10, seconds: 86_400 },
  invitesPerFounder: { attempts: 1000, seconds: 86_400 },
  invitesPerEmail: { attempts: 100, seconds: 86_400 },
  invitesPerEmailOverall: { attempts: 200, seconds: 86_400 },
};

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
