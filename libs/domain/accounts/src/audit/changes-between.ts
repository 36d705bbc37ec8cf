import { isDeepStrictEqual } from 'node:util';

/** The changed properties of a resource, before and after the change. Null stands for an absent value. */
export interface Changes {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/**
 * Returns the properties that differ in JSON form, for the audit trail: `auditLog.record(tx, { …,
 * ...changesBetween(old, now) })`. Treats absent and null as equal. Pass no secrets and no data of pass holders.
 * @returns null if nothing has changed
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
  // Use no prototype, because a property may have the name of an inherited one, such as `toString`.
  const json = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  return Object.assign(Object.create(null) as Record<string, unknown>, json);
}
