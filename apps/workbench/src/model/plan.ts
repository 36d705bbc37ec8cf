import { type Change, changesBetween } from './changes.js';

/** The properties that a planned call would change, each with its old and new value, as the API returns them. */
export type PlannedValues = Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;

/** Lists each difference that a plan makes, with its path. */
export function plannedChanges(values: PlannedValues): Change[] {
  return Object.entries(values).flatMap(([path, { from, to }]) => {
    const [before, after] = [withNulls(from), withNulls(to)];
    const isWhole = [before, after].some((value) => namesOf(value)?.isClear === false || hasListInside(value));
    const [old, now] = [before ?? emptyLike(after), after ?? emptyLike(before)];
    const changes = isWhole ? [] : [...orderOf(path, old, now), ...changesBetween(old, now, path)];
    return changes.length > 0 ? changes : [{ path, before, after }];
  });
}

/** Returns an empty value of the same kind, so that each part of an added or removed value is listed. */
function emptyLike(value: unknown): unknown {
  if (typeof value !== 'object') return undefined;
  return Array.isArray(value) ? [] : {};
}

/** Makes null visible, because for some properties it differs from absence. */
function withNulls(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (_, part: unknown) => (part === null ? 'null' : part)) as unknown;
}

/**
 * Returns the keys of the items of a list; null for other values. `isClear` is false if a key repeats or an item has no
 * key.
 */
function namesOf(value: unknown): { names: string[]; isClear: boolean } | null {
  if (!Array.isArray(value)) return null;
  const keyed = value.map((item: unknown) => (item as { key?: unknown } | null)?.key);
  const names = keyed.filter((key) => typeof key === 'string' && key !== '') as string[];
  const isClear = new Set(names).size === names.length && (names.length === 0 || names.length === value.length);
  return { names, isClear };
}

/** Returns true if a value contains a list, which only metadata may do. */
function hasListInside(value: unknown): boolean {
  const parts: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return parts.some((part) => Array.isArray(part) || hasListInside(part));
}

/** Lists the order of items that are in both lists, if it has changed. */
function orderOf(path: string, before: unknown, after: unknown): Change[] {
  const [one, other] = [namesOf(before)?.names ?? [], namesOf(after)?.names ?? []];
  const [old, now] = [one.filter((name) => other.includes(name)), other.filter((name) => one.includes(name))];
  if (old.join('\n') === now.join('\n')) return [];
  return [{ path: `${path}: order`, before: old.join(', '), after: now.join(', ') }];
}
