import type { EntityManager } from 'typeorm';

/** Listens to changes of an account's users. Mark an implementation with `@Listens(AccountMemberListener)`. */
export abstract class AccountMemberListener {
  /**
   * Called before a user loses the admin role or leaves the account. Runs in the transaction of the change, which has
   * locked the account.
   */
  abstract adminRoleEnded(tx: EntityManager, accountId: string, uid: string): Promise<void>;

  /**
   * Called after a user has left the account. Runs in the transaction of the change, which has locked the account and
   * deleted the member. Default: does nothing.
   */
  userLeft(_tx: EntityManager, _accountId: string, _uid: string): Promise<void> {
    return Promise.resolve();
  }
}
