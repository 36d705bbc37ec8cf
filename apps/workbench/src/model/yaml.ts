/** Formats a JSON value as YAML, like the files of `passwright templates`. */
export function yamlOf(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`;
}

function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? ['[]'] : value.flatMap((item: unknown) => nested('-', item, true));
  }
  if (typeof value !== 'object' || value === null) return [scalar(value)];
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.length === 0 ? ['{}'] : entries.flatMap(([name, item]) => nested(`${scalar(name)}:`, item, false));
}

/** @param isItem true for an item of a list, whose first line follows a dash */
function nested(start: string, item: unknown, isItem: boolean): string[] {
  const lines = linesOf(item);
  const isBlock = typeof item === 'object' && item !== null && Object.keys(item).length > 0;
  if (!isBlock) return [`${start} ${lines[0] ?? ''}`];
  if (!isItem) return [start, ...lines.map((line) => `  ${line}`)];
  return lines.map((line, at) => (at === 0 ? `${start} ${line}` : `  ${line}`));
}

/** Matches a text that YAML cannot mistake for another value. All other texts are quoted. */
const plain = /^[A-Za-z\u00c0-\u024f][\w\u00c0-\u024f '.,()/&;!?%-]*$/;
const words = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null';
  const isPlain = plain.test(value) && !words.test(value) && value.trim() === value;
  // A JSON string is also a double-quoted scalar of YAML.
  return isPlain ? value : JSON.stringify(value);
}
