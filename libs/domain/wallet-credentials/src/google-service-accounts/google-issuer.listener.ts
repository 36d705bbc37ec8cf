import type { EntityManager } from 'typeorm';

/** Google refuses a credential. */
export interface GoogleHalt {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

/**
 * The lib that writes passes at Google, asked before an account's issuer changes and when it is shown. Implemented with
 * `@Listens(GoogleIssuerListener)`.
 */
export abstract class GoogleIssuerListener {
  /** Finds an issuer other than this one under which something of the account is at Google. The account is locked. */
  abstract findOtherIssuer(tx: EntityManager, accountId: string, issuerId: string): Promise<string | null>;

  /** Finds what halts the writes of this account, or of all accounts, with the credential. */
  abstract findHalt(accountId: string, fingerprint: string): Promise<GoogleHalt | null>;
}
