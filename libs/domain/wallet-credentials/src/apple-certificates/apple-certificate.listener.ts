import type { Circuit } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';

/**
 * Reports the devices and the push state of an account, for checks before a certificate change and for display. The lib
 * that registers devices and sends pushes implements it with `@Listens(AppleCertificateListener)`.
 */
export abstract class AppleCertificateListener {
  /** Counts the devices registered for passes of this pass type. The transaction has locked the account. */
  abstract countDevices(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<number>;

  /**
   * Finds another pass type for which devices of the account are registered. The transaction has locked the account.
   */
  abstract findOtherPassType(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<string | null>;

  /**
   * Returns the open circuit of pushes with this certificate, for this account or for all accounts; null if there is
   * none.
   */
  abstract findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null>;
}
