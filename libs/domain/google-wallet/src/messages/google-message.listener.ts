import type { EntityManager } from 'typeorm';

/**
 * Outcomes of a message at Google.
 * - `notified`: it is on the pass, and Google notifies the holders
 * - `daily_limit`: it is on the pass without a notification, because the pass has had three notifications in 24 hours
 * - `rejected`: Google rejects it
 * - `expired`: it could not be sent in time
 * - `superseded`: a later message with the same topic replaced it before it was sent
 * - `not_at_google`: the object is empty, or belongs to an issuer that the account has left
 */
export const googleMessageOutcomes = [
  'notified',
  'daily_limit',
  'rejected',
  'expired',
  'superseded',
  'not_at_google',
] as const;
export type GoogleMessageEnd = (typeof googleMessageOutcomes)[number];

/** The outcome of a message that was sent or will never be sent. */
export interface EndedMessage {
  readonly accountId: string;
  readonly serialNumber: string;
  readonly messageId: string;
  readonly outcome: GoogleMessageEnd;
}

/** Listens to the outcomes of messages. Mark implementations with `@Listens`. */
export abstract class GoogleMessageListener {
  /**
   * Called at least once for each message. All messages of a call belong to one account. The outcomes `notified` and
   * `daily_limit` are final.
   */
  abstract messagesEnded(tx: EntityManager, ended: readonly EndedMessage[]): Promise<void>;
}
