import type { EntityManager } from 'typeorm';

/** Follows the people of an account. An implementation is marked `@Listens(AccountMemberListener)`. */
export abstract class AccountMemberListener {
  /**
   * Called before a user loses the role of an admin, or leaves the account with whatever role. Runs in the transaction of
   * that change, which has locked the account.
   */
  abstract adminRoleEnded(tx: EntityManager, accountId: string, uid: string): Promise<void>;
}
