import type { Circuit } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';

/**
 * Reports on the passes of an account at Google before its issuer changes and when it is shown. The lib that writes
 * passes at Google implements it with `@Listens(GoogleIssuerListener)`.
 */
export abstract class GoogleIssuerListener {
  /** Finds another issuer under which the account has resources at Google. The transaction has locked the account. */
  abstract findOtherIssuer(tx: EntityManager, accountId: string, issuerId: string): Promise<string | null>;

  /** Returns the open circuit of this credential's writes, for this account or for all accounts. */
  abstract findCircuit(accountId: string, fingerprint: string): Promise<Circuit | null>;
}
