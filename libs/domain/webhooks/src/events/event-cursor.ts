import { decodeCursor, encodeCursor, isDateTime, ValidationFailed } from '@passwright/core';

/** How long events stay readable. */
const STORED_DAYS = 30;
/**
 * How much longer than `STORED_DAYS` a cursor is accepted. Events are stored even longer, by twice this time, so every
 * event after an accepted cursor still exists.
 */
const MARGIN_MS = 60 * 60 * 1000;

/** The position of a reader. */
export interface EventPosition {
  /** The incarnation of the database that the numbers belong to. */
  readonly epoch: string;
  /** The transaction that the reader has reached: all events of earlier ones have been read. */
  readonly recordedIn: string;
  /** The number of the last event that the reader has read in that transaction. */
  readonly position: string;
  /** The reader has read all events that happened before this time. */
  readonly readUntil: Date;
}

/** The database has lost the state that the cursor belongs to, by a restore, a roll-back, a fail-over or a crash. */
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
 * @returns null without a cursor. @throws ValidationFailed for a cursor of another list, or if events after it may have
 * been deleted
 */
export function decodeEventCursor(cursor: string | undefined, now: Date): EventPosition | null {
  const [epoch, recordedIn, position, time] = decodeCursor(cursor, isEpoch, isNumber, isNumber, isDateTime) ?? [];
  if (!epoch || !recordedIn || !position || !time) return null;
  const readUntil = new Date(time);
  if (readUntil.getTime() < storedSince(now).getTime() - MARGIN_MS) {
    throw new ValidationFailed(
      `cursor is too old: events are kept for ${STORED_DAYS} days, so some after it may be gone; start again without it, and ` +
        'reload whatever you keep a copy of',
    );
  }
  return { epoch, recordedIn, position, readUntil };
}

/** Returns the time before which events may be deleted. */
export function forgottenBefore(now: Date): Date {
  return new Date(storedSince(now).getTime() - 2 * MARGIN_MS);
}

/** Returns the time from which events are readable. */
export function storedSince(now: Date): Date {
  return new Date(now.getTime() - STORED_DAYS * 24 * 60 * 60 * 1000);
}
