/** Returns true if a change might end a pass. Only for these changes must the pass be read first. */
export function mayEndPass(body: unknown): boolean {
  const { voided, expiry, validFrom } = (body ?? {}) as Record<string, unknown>;
  return isGiven(voided) && voided !== false ? true : isGiven(expiry) || isGiven(validFrom);
}

/** Returns true if a change voids a pass or shortens its validity. */
export function endsPass(body: unknown, read: Record<string, unknown> | null): boolean {
  const { voided, expiry, validFrom } = (body ?? {}) as Record<string, unknown>;
  const { pass } = (read ?? {}) as { pass?: Record<string, unknown> };
  const isSooner = isGiven(expiry) && !(timeOf(expiry) >= timeOf(pass?.expiry ?? null, Infinity));
  const isLater = isGiven(validFrom) && !(timeOf(validFrom) <= timeOf(pass?.validFrom ?? null, -Infinity));
  return (isGiven(voided) && voided !== false) || isSooner || isLater;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Returns the time in ms, or NaN if it is invalid. Comparisons with NaN are false, so such a change is planned, and the
 * API rejects it.
 */
function timeOf(value: unknown, absent = NaN): number {
  return value === null ? absent : Date.parse(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
