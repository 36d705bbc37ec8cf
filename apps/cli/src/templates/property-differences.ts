import { isMap, same, type TemplateBody } from './template-body.js';

/** Where a property has changed since file and service were last equal. */
export type ChangedBy = 'file' | 'service' | 'both';

/** A property that differs. A value is undefined if its side lacks the property. */
export interface Difference {
  /** A path such as `fields.seat.label`. It contains the keys of fields, not their positions. */
  path: string;
  service: unknown;
  file: unknown;
  /** The value when file and service were last equal, at a pull or push. */
  base?: unknown;
  /** Where the value has changed since then. Absent if the earlier value is unknown. */
  changedBy?: ChangedBy;
}

/**
 * Returns the differences between two normalised templates in the order of the file.
 * @param base the template when both were last equal; undefined if unknown
 */
export function differencesOf(service: TemplateBody, file: TemplateBody, base?: TemplateBody): Difference[] {
  return between({ service, file, base: base ?? {} }, '').map(({ base: was, ...difference }) =>
    base ? { ...difference, base: was, changedBy: changedBy({ ...difference, base: was }) } : difference,
  );
}

/** Converts differences to JSON, with null for absent values because JSON has no `undefined`. */
export function differencesAsJson(differences: readonly Difference[]): object[] {
  return differences.map(({ path, service, file, base, changedBy: by }) => ({
    path,
    service: service ?? null,
    file: file ?? null,
    ...(by && { base: base ?? null, changedBy: by }),
  }));
}

/** The values of a property on the service, in the file, and when both were last equal. */
interface Sides {
  readonly service: unknown;
  readonly file: unknown;
  readonly base: unknown;
}

function changedBy({ service, file, base }: Sides): ChangedBy {
  if (same(service, base)) return 'file';
  return same(file, base) ? 'service' : 'both';
}

function between(sides: Sides, path: string): Difference[] {
  const { service, file, base } = sides;
  if (same(service, file)) return [];
  if (isMap(service) && isMap(file)) {
    const was = isMap(base) ? base : {};
    return [...new Set([...Object.keys(file), ...Object.keys(service)])].flatMap((name) =>
      between({ service: service[name], file: file[name], base: was[name] }, path ? `${path}.${name}` : name),
    );
  }
  if (!Array.isArray(service) || !Array.isArray(file)) return [{ path, ...sides }];
  const lists = [service, file, Array.isArray(base) ? base : []].map(byKey);
  const [theirs, ours, before] = lists.map(Object.fromEntries) as [object, object, object];
  return [
    ...between({ service: theirs, file: ours, base: before }, path),
    ...differentOrder(lists as [Entry[], Entry[], Entry[]], path),
  ];
}

type Entry = readonly [key: string, value: unknown];

/** Converts a list to entries. Each entry is named by its key, or by its position if not all have distinct keys. */
function byKey(list: readonly unknown[]): Entry[] {
  const keys = list.map((entry) => (isMap(entry) && typeof entry.key === 'string' ? entry.key : null));
  const keyed = keys.every((key) => key !== null) && new Set(keys).size === keys.length;
  return list.map((entry, index) => [keyed ? `${keys[index]}` : `${index + 1}`, entry]);
}

/** Compares the order of the entries that both sides have. */
function differentOrder([theirs, ours, before]: readonly [Entry[], Entry[], Entry[]], path: string): Difference[] {
  const common = new Set(ours.map(([key]) => key).filter((key) => theirs.some(([other]) => other === key)));
  const [service, file, base] = [theirs, ours, before].map((list) =>
    list.map(([key]) => key).filter((key) => common.has(key)),
  );
  return same(service, file) ? [] : [{ path, service, file, base }];
}
