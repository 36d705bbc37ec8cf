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
