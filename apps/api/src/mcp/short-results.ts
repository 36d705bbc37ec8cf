import type { Tool } from './tools.js';

/** The lists that mean something even if they are empty. */
const results = new Set(['data', 'findings', 'devices']);
/** The tools whose callers may want to give the links of a pass to its holder. */
const givesLinks = new Set(['createPass', 'getPass']);
const links = new Set(['walletAUrl', 'walletBUrl', 'webUrl']);
/**
 * Properties with values that callers have chosen or send back later. They are never shortened, but omitted if empty.
 */
const whole = new Set(['linkedPasses', 'metadata']);

/**
 * Returns the result of a tool without parts that the agent does not need: known ids, links in lists, and empty values.
 * Keeps a `changeMessage` of null, so that the agent can save the template unchanged.
 * @param input the arguments of the call
 */
export function shortened(
  { name }: Pick<Tool, 'name'>,
  result: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isLeftOut = (key: string, value: unknown) =>
    key === 'accountId' ||
    (key === 'templateId' && value === input.templateId) ||
    (links.has(key) && !givesLinks.has(name)) ||
    (isEmpty(value) && key !== 'changeMessage' && !results.has(key));
  const short = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(short);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, whole.has(key) ? inner : short(inner)] as const);
    return Object.fromEntries(entries.filter(([key, inner]) => !isLeftOut(key, inner)));
  };
  return short(result) as Record<string, unknown>;
}

/** Returns true for null and for a list or object without entries. */
function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
