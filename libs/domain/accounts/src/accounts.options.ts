import type { MasterKey } from '@passwright/core';

/** How often something may be tried: `attempts` in each window of `seconds`. */
export interface AttemptLimit {
  readonly attempts: number;
  readonly seconds: number;
}

/** The limits on guessing, counted in the database, so over all nodes. An IPv6 address counts as its /64 network. */
export interface AttemptLimits {
  /** Failed logins per address, whichever users they name. */
  readonly loginsPerAddress: AttemptLimit;
  /** Failed logins per e-mail from one address; a login that succeeds starts it anew. */
  readonly loginsPerEmailAndAddress: AttemptLimit;
  /** Failed logins per e-mail, from any address; addresses from which the user has signed in before are not refused. */
  readonly loginsPerEmail: AttemptLimit;
  /** Registrations per address. */
  readonly registrationsPerAddress: AttemptLimit;
  /** Registrations per address that meet a taken e-mail; past it the address cannot register, so that e-mails cannot be tried out. */
  readonly takenEmailsPerAddress: AttemptLimit;
  /** Bad access tokens, API keys, refresh tokens and codes per address; good ones from it pass all the same. */
  readonly badCredentialsPerAddress: AttemptLimit;
  /** Mails to users who have forgotten their password, asked for from one address. */
  readonly passwordMailsPerAddress: AttemptLimit;
  /** Reset mails for one e-mail, from any address. Beyond it the user gets one every five minutes, and is never refused. */
  readonly passwordMailsPerEmail: AttemptLimit;
  /** Changes of their e-mail that a user asks for: each sends a mail to an address of the user's choice. */
  readonly emailChangesPerUser: AttemptLimit;
  /** Deletions of an account that its admins ask for: each mails all of them. */
  readonly deletionsPerAccount: AttemptLimit;
  /** Invitations that the accounts of one founder send. */
  readonly invitesPerFounder: AttemptLimit;
  /** Invitations that the accounts of one founder send to one e-mail. */
  readonly invitesPerEmail: AttemptLimit;
  /** Invitations that all accounts together send to one e-mail, without the first of each founder. */
  readonly invitesPerEmailOverall: AttemptLimit;
}

/** The limits that hold where the options name no others. */
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

/** What `AccountsModule.forRoot` takes. */
export abstract class AccountsOptions {
  /** Public address of the service, without a slash at its end: what links in e-mails begin with. */
  abstract readonly baseUrl: string;
  /** Signs access tokens and codes of invitations (HMAC-SHA-256): at least 32 characters, the same on every node. Another one voids them all. */
  abstract readonly accessTokenSecret: string;
  /** Whether anyone may register; `closed` answers 403. */
  abstract readonly registration: 'open' | 'closed';
  /** Whether people may sign in by OpenID Connect too (`OidcModule`): the page of an invitation leads there. Default: false. */
  abstract readonly signsInByProvider?: boolean;
  /** How long an access token lives; 15 minutes are usual. */
  abstract readonly accessTokenTtlSeconds: number;
  /** How long a session lives without being refreshed; 30 days are usual. */
  abstract readonly refreshTokenTtlSeconds: number;
  /** The most accounts that a user can found; deleted ones do not count. Default: 20. */
  abstract readonly accountsPerFounder?: number;
  /** Days in which an admin can withdraw the deletion of an account. Default: 7. */
  abstract readonly deletionDelayDays?: number;
  /** Days that the audit trail is kept at least; it is deleted by whole months. Default: 400. */
  abstract readonly auditRetentionDays?: number;
  /** Those of `defaultAttemptLimits` that shall be different. */
  abstract readonly attemptLimits?: Partial<AttemptLimits>;
  /** Encryption of names, e-mail addresses and members' data. Without it they are stored in clear. */
  abstract readonly personalData?: PersonalDataOptions;
}

/** Encryption of personal data at rest. */
export interface PersonalDataOptions {
  /** The first seals the keys of accounts, all of them open; the same on every node. As for `EncryptedSecretsModule` of `@passwright/wallet-credentials`. */
  readonly masterKeys: readonly MasterKey[];
  /** False: accounts that have no key get none, so what they add is stored in clear. */
  readonly encrypts: boolean;
}
