/**
 * Test accounts, in which nothing reaches a holder or a wallet platform. A live account never becomes a test account,
 * and a test account never becomes live.
 */
export abstract class TestAccounts {
  /** Returns true for a test account; false for a live account, and for an id that belongs to no account. */
  abstract has(accountId: string): Promise<boolean>;
}
