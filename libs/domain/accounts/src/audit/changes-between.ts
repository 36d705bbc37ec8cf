import { isDeepStrictEqual } from 'node:util';

/** The changed properties of a resource: the same names in both objects, with null for an absent value. */
export interface Changes {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/**
 * Returns the properties that differ in JSON form, for the audit trail: `auditLog.record(tx, { …, ...changesBetween(old,
 * now) })`. Absent and null count as equal. Choose the properties yourself: secrets and data of pass holders do not
 * belong in the trail.
 * @returns null if nothing has changed, so there is nothing to record
 */
export function changesBetween(before: object, after: object): Changes | null {
  const [old, now] = [asJson(before), asJson(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  const changed = names.filter((name) => !isDeepStrictEqual(old[name] ?? null, now[name] ?? null));
  if (changed.length === 0) return null;
  const only = (from: Record<string, unknown>) =>
    Object.fromEntries(changed.map((name) => [name, from[name] ?? null] as const));
  return { before: only(old), after: only(now) };
}

function asJson(value: object): Record<string, unknown> {
  // No prototype, because a property may be named like an inherited one, such as `toString`.
  const json = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  return Object.assign(Object.create(null) as Record<string, unknown>, json);
}
