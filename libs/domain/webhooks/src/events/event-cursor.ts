import { decodeCursor, encodeCursor, isDateTime, ValidationFailed } from '@passwright/core';
import { CURSOR_MARGIN_MS, STORED_DAYS, storedSince } from './event-retention.js';

/** The position of a reader in the list of events. */
export interface EventPosition {
  /** The incarnation of the database to which the numbers belong. A restore begins a new incarnation. */
  readonly epoch: string;
  /** The transaction that the reader has reached. The reader has read all events of earlier transactions. */
  readonly recordedIn: string;
  /** The number of the last event that the reader has read in the transaction `recordedIn`. */
  readonly position: string;
  /** The reader has read all events that happened before this time. */
  readonly readUntil: Date;
}

/**
 * 400: the database has lost the state to which the cursor belongs, because of a restore, a rollback, a failover or a
 * crash.
 */
export class CursorOfLostHistory extends ValidationFailed {
  constructor() {
    super(
      'cursor belongs to a state that the database has lost, for example by a restore or a fail-over, so some of what ' +
        'you have read may not hold any more; start again without it, and reload whatever you keep a copy of',
    );
  }
}

const MAX_BIGINT = 2n ** 63n - 1n;
const isNumber = (text: string) => /^\d{1,19}$/.test(text) && BigInt(text) <= MAX_BIGINT;
const isEpoch = (text: string) => /^[0-9a-f]{10}$/.test(text);

export function encodeEventCursor({ epoch, recordedIn, position, readUntil }: EventPosition): string {
  return encodeCursor([epoch, recordedIn, position, readUntil.toISOString()]);
}

/**
 * Decodes a cursor; returns null without a cursor. @throws ValidationFailed for a cursor of another list, or if events
 * after it may have been deleted
 */
export function decodeEventCursor(cursor: string | undefined, now: Date): EventPosition | null {
  const [epoch, recordedIn, position, time] = decodeCursor(cursor, isEpoch, isNumber, isNumber, isDateTime) ?? [];
  if (!epoch || !recordedIn || !position || !time) return null;
  const readUntil = new Date(time);
  if (readUntil.getTime() < storedSince(now).getTime() - CURSOR_MARGIN_MS) {
    throw new ValidationFailed(
      `cursor is too old: events are kept for ${STORED_DAYS} days, so some after it may be gone; start again without it, and ` +
        'reload whatever you keep a copy of',
    );
  }
  return { epoch, recordedIn, position, readUntil };
}
