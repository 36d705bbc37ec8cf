import { ValidationFailed } from '../errors/wire-errors.js';

/** The position of a row in keyset order: its sort values as strings. */
export type Position = readonly string[];

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Decodes a cursor.
 * @param isValid one check for each sort value; the checks keep forged cursors away from the database
 * @returns null without a cursor. @throws ValidationFailed for a cursor that this list did not issue
 */
export function decodeCursor(cursor: string | undefined, ...isValid: ((value: string) => boolean)[]): Position | null {
  if (cursor === undefined) return null;
  const position = parsePosition(cursor);
  const fits = position?.length === isValid.length && position.every((value, index) => isValid[index]?.(value));
  if (!position || !fits) {
    throw new ValidationFailed('cursor must be the nextCursor of this list, with the same filters');
  }
  return position;
}

function parsePosition(cursor: string): string[] | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) && parsed.every((value) => typeof value === 'string') ? parsed : null;
  } catch {
    return null;
  }
}
