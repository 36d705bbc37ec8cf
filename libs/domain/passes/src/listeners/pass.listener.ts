import type { GoogleMessage } from '@passwright/core';
import type { EntityManager } from 'typeorm';

/** Names a pass as wallets do. */
export interface PassSerial {
  readonly accountId: string;
  readonly serialNumber: string;
}

/** A message to the holders of a pass that expires. */
export interface TimelyMessage extends GoogleMessage {
  /** ISO 8601. */
  readonly until: string;
}

/**
 * Follows changes of passes from a lib above this one. Mark implementations with `@Listens(PassListener)`; they are found
 * among all providers. Every method runs inside the transaction of the change and adds jobs for what follows the commit.
 */
export abstract class PassListener {
  /**
   * Called after holders' passes changed, were deleted or expired, at most 1000 at once. The passes are locked, so a
   * registration either commits before this call and is visible here, or begins after the change and sees it.
   */
  abstract passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void>;

  /** Called by a job after the look of all passes of a template changed. */
  abstract templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void>;

  /** Sends a message to the holders of a pass where their wallet shows messages. */
  async messageSent(_tx: EntityManager, _pass: PassSerial, _message: TimelyMessage): Promise<void> {}

  /** Returns those of some deleted passes whose tombstones a wallet still needs. */
  neededTombstones(_tx: EntityManager, _passes: readonly PassSerial[]): Promise<readonly PassSerial[]> {
    return Promise.resolve([]);
  }

  /** Called after the tombstones of deleted passes were deleted for good. */
  async tombstonesDeleted(_tx: EntityManager, _passes: readonly PassSerial[]): Promise<void> {}
}
