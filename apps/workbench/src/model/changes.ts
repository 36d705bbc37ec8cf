/** One difference between two documents. */
export interface Change {
  /** The path of the changed value, as displayed: `fields.points.value`. */
  readonly path: string;
  /** Undefined if the value is new. */
  readonly before: unknown;
  /** Undefined if the value was removed. */
  readonly after: unknown;
}

/** Lists the differences between two JSON documents. Items of lists that have a `key` are compared by this key. */
export function changesBetween(before: unknown, after: unknown, path = ''): Change[] {
  if (isSame(before, after)) return [];
  const [one, other] = [partsOf(before), partsOf(after)];
  if (!one || !other) return [{ path, before, after }];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.flatMap((name) =>
    changesBetween(one.get(name), other.get(name), path === '' ? name : `${path}.${name}`),
  );
}

/** Returns true for equal documents. The order of properties does not matter; null and absent count as equal. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || ((one ?? null) === null && (other ?? null) === null);
}

/** Returns the parts of an object or list by name; null for any other value. */
function partsOf(value: unknown): Map<string, unknown> | null {
  if (Array.isArray(value)) return new Map(value.map((item: unknown, at) => [nameOf(item, at), item]));
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}

function nameOf(item: unknown, at: number): string {
  const { key } = (typeof item === 'object' && item !== null ? item : {}) as { key?: unknown };
  return typeof key === 'string' && key !== '' ? key : String(at + 1);
}

/** Writes a value of a change on one line. */
export function inWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
