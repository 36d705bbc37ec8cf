/** An object of JSON whose values are yet to be looked at. */
export type Json = Readonly<Record<string, unknown>>;

/** What is no object has no properties. */
export function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** A single line of 1 to 255 characters, fit for the database; null for anything else. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value) ? value : null;
}

/** A time in seconds since 1970, up to the year 9999. */
export function atSecond(value: unknown): Date | null {
  const isTime = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 253_402_300_800;
  return isTime ? new Date(value * 1000) : null;
}

/** As a limit is written in metadata: a whole number, or `unlimited` (null). @returns undefined for anything else */
export function asLimit(value: string): number | null | undefined {
  const text = value.trim().toLowerCase();
  if (text === 'unlimited') return null;
  return /^\d{1,10}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : undefined;
}
