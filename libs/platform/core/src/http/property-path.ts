const identifier = /^[A-Za-z_$][\w$]*$/;
const MAX_SHOWN = 60;

/**
 * The path of a property below another, as messages name it: `fields[2].key`; `["a b"]` for a name that is no
 * identifier. Names come from callers, so only the first 60 characters of one are shown.
 * @param parent the path it stands below; empty at the top
 */
export function propertyPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  if (!identifier.test(key)) return `${parent}[${JSON.stringify(shortened(key))}]`;
  return parent === '' ? shortened(key) : `${parent}.${shortened(key)}`;
}

function shortened(key: string): string {
  if (key.length <= MAX_SHOWN) return key;
  // Not through the middle of a character: half of one is not text.
  return `${key.slice(0, MAX_SHOWN).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
