import { setImmediate as turn } from 'node:timers/promises';
import { dump } from 'js-yaml';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a document as YAML. Writes it in pieces of one operation or schema, so that other requests need not wait.
 * @param document parsed JSON
 */
export async function documentYaml(document: Json): Promise<string> {
  return (await piecesOf(document, [])).join('');
}

async function piecesOf(part: Json, path: readonly string[]): Promise<string[]> {
  const pieces: string[] = [];
  for (const [key, value] of Object.entries(part)) {
    if (isDivided(value, path)) pieces.push(heading(key, path), ...(await piecesOf(value, [...path, key])));
    else {
      await turn();
      pieces.push(pieceOf(key, value, path));
    }
  }
  return pieces;
}

/**
 * Returns true for an object that is written in several pieces: a non-empty object directly below the document or its
 * `components`.
 */
function isDivided(value: unknown, path: readonly string[]): value is Json {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.keys(value).length > 0 && (path.length === 0 || path.join() === 'components');
}

function heading(key: string, path: readonly string[]): string {
  return `${'  '.repeat(path.length)}${key}:\n`;
}

/** Writes one property at its depth, because YAML folds long lines by their indentation. */
function pieceOf(key: string, value: unknown, path: readonly string[]): string {
  const below = path.reduceRight<Json>((inner, name) => ({ [name]: inner }), { [key]: value });
  const headings = path.map((name, depth) => heading(name, path.slice(0, depth))).join('');
  return dump(below, { noRefs: true }).slice(headings.length);
}
