const indent = '  ';

/** Writes a JSON value as a literal of TypeScript, as Prettier would format it. */
export function literalOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return stringOf(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const items = Array.isArray(value)
    ? value.map((item: unknown) => literalOf(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${nameOf(name)}: ${literalOf(item, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  const inner = indent.repeat(depth + 1);
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent.repeat(depth)}${close}`;
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringOf(name);
}

function stringOf(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
