import type { GoogleMessage } from '@passwright/core';
import type { SentNotice } from '@passwright/templates';
import type { FrontChange } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';

export type { SentNotice };

/** The account and the serial number that identify a pass at the wallets. */
export interface PassSerial {
  readonly accountId: string;
  readonly serialNumber: string;
}

/** The texts of a message by BCP 47 tag. */
export type TextsByLanguage = Readonly<Record<string, { readonly header: string; readonly body: string }>>;

/** A message to the holders of a pass, and the time until which it may be sent. */
export interface TimelyMessage extends Pick<GoogleMessage, 'id' | 'header' | 'body'> {
  /** The language of the texts; null for the language of the installation. */
  readonly language?: string | null;
  /** The same texts in other languages, by BCP 47 tag. */
  readonly translations?: TextsByLanguage;
  /** An ISO 8601 time, after which the message is no longer sent. */
  readonly until: string;
  /** The topic; a later message with the same topic replaces this message. */
  readonly topic?: string | null;
  /** True if the message notifies holders even in quiet hours. */
  readonly urgent?: boolean;
}

/** Changed front fields of a pass. */
export interface ChangedFront extends PassSerial {
  /** The title of the template. */
  readonly title: string;
  /** The language of the template; null for the language of the installation. */
  readonly language?: string | null;
  /** The title in other languages, by BCP 47 tag. */
  readonly titles?: Readonly<Record<string, string>>;
  /** The changed fields. Empty if only fronts of other passes in the same call have changed. */
  readonly changes: readonly FrontChange[];
}

/**
 * Listens to changes of passes for a lib above this one. Mark implementations with `@Listens(PassListener)`. Every
 * method runs inside the transaction of the change, and adds jobs for the work after the commit. All listeners run
 * simultaneously, so a listener that begins a nested transaction gets an error.
 */
export abstract class PassListener {
  /**
   * Called after up to 1000 locked passes were changed or deleted, or have expired. A simultaneous registration is
   * either visible in this call, or sees the change itself.
   */
  abstract passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void>;

  /** Called by a job after a template change that affects all its passes. */
  abstract templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void>;

  /** Called to send a message to the holders of a pass, if their wallet shows messages. */
  async messageSent(_tx: EntityManager, _pass: PassSerial, _message: TimelyMessage): Promise<void> {}

  /**
   * Called instead of `passesChanged` after front fields of one pass changed. A wallet that shows messages sends a
   * message about these fields.
   * @returns the notices about the changes that holders see
   */
  async frontChanged(tx: EntityManager, front: ChangedFront): Promise<readonly SentNotice[]> {
    await this.passesChanged(tx, [front]);
    return [];
  }

  /** Works like `frontChanged` for up to 1000 passes of one account. */
  frontsChanged(tx: EntityManager, fronts: readonly ChangedFront[]): Promise<void> {
    return this.passesChanged(tx, fronts);
  }

  /** Returns the deleted passes whose tombstones a wallet still needs. */
  neededTombstones(_tx: EntityManager, _passes: readonly PassSerial[]): Promise<readonly PassSerial[]> {
    return Promise.resolve([]);
  }

  /** Called after the tombstones of deleted passes were deleted permanently. */
  async tombstonesDeleted(_tx: EntityManager, _passes: readonly PassSerial[]): Promise<void> {}

  /** Called after `passesChanged` to send one message to the holders of several passes of one account. */
  async messagesSent(tx: EntityManager, passes: readonly PassSerial[], message: TimelyMessage): Promise<void> {
    for (const pass of passes) await this.messageSent(tx, pass, message);
  }
}
