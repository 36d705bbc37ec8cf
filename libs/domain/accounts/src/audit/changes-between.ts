import { isDeepStrictEqual } from 'node:util';

/** What has changed of settings: the same names in both, with null where there was or is none. */
export interface Changes {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/**
 * The properties that differ once both are JSON, for the audit trail: `trail.record(tx, { …, ...changesBetween(old, now) })`.
 * Absent and null are the same. Name the properties yourself: secrets and what holders have said do not belong there.
 * @returns null when nothing has changed, of which there is nothing to record
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
  // Of no prototype: a property may be called as one of its is, such as `toString`.
  const json = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
  return Object.assign(Object.create(null) as Record<string, unknown>, json);
}
