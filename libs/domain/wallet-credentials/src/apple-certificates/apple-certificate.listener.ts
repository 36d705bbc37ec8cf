import type { EntityManager } from 'typeorm';

/** Apple refuses pushes with a certificate. */
export interface PushHalt {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

/**
 * The lib that registers devices and sends pushes, asked before an account's certificate changes and when it is shown.
 * Implemented with `@Listens(AppleCertificateListener)`.
 */
export abstract class AppleCertificateListener {
  /** Counts the devices that are registered for passes of this pass type. The transaction has locked the account. */
  abstract countDevices(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<number>;

  /** Finds a pass type other than this one that devices of the account are registered under. The account is locked. */
  abstract findOtherPassType(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<string | null>;

  /** Finds what halts the pushes of this account, or of all accounts, with the certificate. */
  abstract findPushHalt(accountId: string, fingerprint: string): Promise<PushHalt | null>;
}
