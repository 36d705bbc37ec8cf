import type { EntityManager } from 'typeorm';

/** Listens to changes of API keys. Mark an implementation with `@Listens(ApiKeyListener)`. */
export abstract class ApiKeyListener {
  /** Called after a key was revoked. Runs in the transaction of the revocation, which has locked the key. */
  abstract keyRevoked(tx: EntityManager, accountId: string, keyId: string): Promise<void>;
}
