import type { Circuit } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';

/**
 * Reports on the devices and pushes of an account before its certificate changes and when it is shown. The lib that
 * registers devices and sends pushes implements it with `@Listens(AppleCertificateListener)`.
 */
export abstract class AppleCertificateListener {
  /** Counts the devices registered for passes of this pass type. The transaction has locked the account. */
  abstract countDevices(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<number>;

  /**
   * Finds another pass type under which devices of the account are registered. The transaction has locked the account.
   */
  abstract findOtherPassType(tx: EntityManager, accountId: string, passTypeIdentifier: string): Promise<string | null>;

  /** Returns the open circuit of this certificate's pushes, for this account or for all accounts. */
  abstract findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null>;
}
