import { isMap, same, type TemplateBody } from './template-body.js';

/** A property that differs. Its value is undefined on a side that does not have it. */
export interface Difference {
  /** A path such as `fields.seat.label`, which uses the keys of fields. */
  path: string;
  service: unknown;
  file: unknown;
}

/** Returns the differences between two normalised templates in the order of the file. */
export function differencesOf(service: TemplateBody, file: TemplateBody, path = ''): Difference[] {
  const names = new Set([...Object.keys(file), ...Object.keys(service)]);
  return [...names].flatMap((name) => between(service[name], file[name], path ? `${path}.${name}` : name));
}

function between(service: unknown, file: unknown, path: string): Difference[] {
  if (same(service, file)) return [];
  if (isMap(service) && isMap(file)) return differencesOf(service, file, path);
  if (!Array.isArray(service) || !Array.isArray(file)) return [{ path, service, file }];
  const [ours, theirs] = [byKey(file), byKey(service)];
  const found = differencesOf(theirs, ours, path);
  // Both sides have the same entries in another order.
  return found.length > 0 ? found : [{ path, service: Object.keys(theirs), file: Object.keys(ours) }];
}

/** Converts a list to a map, by the key of each entry or else by its position. */
function byKey(list: readonly unknown[]): Record<string, unknown> {
  const keys = list.map((entry) => (isMap(entry) && typeof entry.key === 'string' ? entry.key : null));
  const keyed = keys.every((key) => key !== null) && new Set(keys).size === keys.length;
  return Object.fromEntries(list.map((entry, index) => [keyed ? `${keys[index]}` : `${index + 1}`, entry]));
}
