import { decodeCursor, encodeCursor, isDateTime, ValidationFailed } from '@passwright/core';

/** So long events are told of. */
const KEPT_DAYS = 30;
/** So much longer a cursor is taken, and as much longer again they are there: what it promises is still there. */
const MARGIN_MS = 60 * 60 * 1000;

/** How far somebody has read. */
export interface EventPosition {
  /** The incarnation of the database that the numbers belong to. */
  readonly epoch: string;
  /** Everything of transactions before this one has been read; */
  readonly recordedIn: string;
  /** and of this one what has a lower number, or this. */
  readonly position: string;
  /** Nothing that happened before then is yet to be read. */
  readonly readUntil: Date;
}

/** The database was restored, rolled back or failed over since the cursor was given. */
export class CursorOfLostHistory extends ValidationFailed {
  constructor() {
    super(
      'cursor is of before the database was restored or failed over, so some of what you have read may not hold any more; ' +
        'begin again without it, and read what you keep a copy of anew',
    );
  }
}

const MAX_BIGINT = 2n ** 63n - 1n;
const isNumber = (text: string) => /^\d{1,19}$/.test(text) && BigInt(text) <= MAX_BIGINT;
const isEpoch = (text: string) => /^[0-9a-f]{10}$/.test(text);

export function encodeEventCursor({ epoch, recordedIn, position, readUntil }: EventPosition): string {
  return encodeCursor([epoch, recordedIn, position, readUntil.toISOString()]);
}

/** @returns null without a cursor. @throws ValidationFailed for one of another list, or when what comes after it may be gone */
export function decodeEventCursor(cursor: string | undefined, now: Date): EventPosition | null {
  const [epoch, recordedIn, position, time] = decodeCursor(cursor, isEpoch, isNumber, isNumber, isDateTime) ?? [];
  if (!epoch || !recordedIn || !position || !time) return null;
  const readUntil = new Date(time);
  if (readUntil.getTime() < keptSince(now).getTime() - MARGIN_MS) {
    throw new ValidationFailed(
      `cursor is too old: events are kept for ${KEPT_DAYS} days, so some after it may be gone; begin again without it, and ` +
        'read what you keep a copy of anew',
    );
  }
  return { epoch, recordedIn, position, readUntil };
}

/** What happened before then may be deleted. */
export function forgottenBefore(now: Date): Date {
  return new Date(keptSince(now).getTime() - 2 * MARGIN_MS);
}

/** What happened since then is told. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - KEPT_DAYS * 24 * 60 * 60 * 1000);
}
