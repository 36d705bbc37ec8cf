import { createHash } from 'node:crypto';
import { isObject, parseJson } from './strict-json.js';

/**
 * Finds errors in `manifest.json`. It must name exactly the other files of the package except the signature, each with
 * the SHA-1 of its bytes in lower-case hex.
 * @see https://developer.apple.com/documentation/walletpasses/building-a-pass
 */
export function manifestProblems(files: ReadonlyMap<string, Buffer>): string[] {
  const bytes = files.get('manifest.json');
  if (!bytes) return ['manifest.json: it is missing'];
  const { value, problem } = parseJson(bytes);
  if (problem) return [`manifest.json: ${problem}`];
  if (!isObject(value)) return ['manifest.json: it is no object'];
  const listed = new Map<string, unknown>(Object.entries(value));
  const problems = [...listed].flatMap(([name, sha1]) => entryProblem(name, sha1, files.get(name)) ?? []);
  for (const name of files.keys()) {
    if (name !== 'manifest.json' && name !== 'signature' && !listed.has(name)) problems.push(`"${name}" is not listed`);
  }
  return problems.map((text) => `manifest.json: ${text}`);
}

function entryProblem(name: string, sha1: unknown, file: Buffer | undefined): string | undefined {
  if (name === 'manifest.json' || name === 'signature') return `"${name}" must not be listed`;
  if (typeof sha1 !== 'string' || !/^[0-9a-f]{40}$/.test(sha1)) {
    return `the entry of "${name}" is no SHA-1 in lower-case hex`;
  }
  if (!file) return `"${name}" is listed, but not in the package`;
  const actual = createHash('sha1').update(file).digest('hex');
  return actual === sha1 ? undefined : `the SHA-1 of "${name}" is ${actual}, not ${sha1}`;
}
