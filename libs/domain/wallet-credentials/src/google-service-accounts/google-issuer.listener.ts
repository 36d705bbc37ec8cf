import type { Circuit } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';

/**
 * Reports the passes and the write state of an account at Google, for checks before an issuer change and for display.
 * The lib that writes passes to Google implements it with `@Listens(GoogleIssuerListener)`.
 */
export abstract class GoogleIssuerListener {
  /** Finds another issuer for which the account has resources at Google. The transaction has locked the account. */
  abstract findOtherIssuer(tx: EntityManager, accountId: string, issuerId: string): Promise<string | null>;

  /**
   * Returns the open circuit of writes with this credential, for this account or for all accounts; null if there is
   * none.
   */
  abstract findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null>;
}
