const identifier = /^[A-Za-z_$][\w$]*$/;
const MAX_SHOWN = 60;

/**
 * Returns the path of a nested property for messages: `fields[2].key`, or `["a b"]` for a name that is not an
 * identifier. Names come from callers, so the path shows only the first 60 characters of a name.
 * @param parent the path of the parent; empty at the top
 */
export function propertyPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  if (!identifier.test(key)) return `${parent}[${JSON.stringify(shortened(key))}]`;
  return parent === '' ? shortened(key) : `${parent}.${shortened(key)}`;
}

function shortened(key: string): string {
  if (key.length <= MAX_SHOWN) return key;
  // Do not cut through a surrogate pair, because half of one is not valid text.
  return `${key.slice(0, MAX_SHOWN).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
