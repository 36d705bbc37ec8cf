/** A JSON object with unchecked values. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, otherwise an empty object. */
export function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** Returns a single line of 1 to 255 characters that is safe for the database, or null for anything else. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value) ? value : null;
}

/** Reads a time given in seconds since 1970, up to the year 9999. */
export function atSecond(value: unknown): Date | null {
  const isTime = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 253_402_300_800;
  return isTime ? new Date(value * 1000) : null;
}

/**
 * Reads a limit from metadata: a whole number, or `unlimited`, which becomes null. @returns undefined for anything else
 */
export function asLimit(value: string): number | null | undefined {
  const text = value.trim().toLowerCase();
  if (text === 'unlimited') return null;
  return /^\d{1,10}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined;
}
