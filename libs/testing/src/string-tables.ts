import type { PassJson } from './virtual-iphone/pass-json-rules.js';

/** The texts of one language. The keys are the texts in `pass.json`. */
export type StringTable = ReadonlyMap<string, string>;

const pathForm = /^([^/]+)\.lproj\/pass\.strings$/;
const folderForm = /^([^/]+)\.lproj\//;
const tagForm = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/;
/** Matches one entry, a comment or white space. */
const part = /\s+|\/\*[^]*?\*\/|\/\/[^\n]*|"((?:[^"\\]|\\[^])*)"\s*=\s*"((?:[^"\\]|\\[^])*)"\s*;/y;
const looked = ['organizationName', 'description', 'logoText', 'label', 'value', 'changeMessage', 'relevantText'];

/**
 * Reads the string tables of a package by language.
 * @returns the tables, and `problems` for tables that phones ignore and languages that lack texts
 * @see https://developer.apple.com/documentation/walletpasses/creating-the-source-for-a-pass
 */
export function readStringTables(files: ReadonlyMap<string, Buffer>): {
  tables: ReadonlyMap<string, StringTable>;
  problems: string[];
} {
  const tables = new Map<string, StringTable>();
  const problems: string[] = [];
  for (const [path, bytes] of files) {
    const language = pathForm.exec(path)?.[1];
    if (language === undefined) continue;
    if (!tagForm.test(language)) problems.push(`"${path}": "${language}" is no language`);
    const { table, problem } = parsed(bytes);
    if (problem !== null) problems.push(`"${path}": ${problem}`);
    tables.set(language, table);
  }
  const keys = new Set([...tables.values()].flatMap((table) => [...table.keys()]));
  for (const [language, table] of tables) {
    const missing = [...keys].find((key) => !table.has(key));
    if (missing !== undefined) problems.push(`${language}.lproj lacks "${missing}", which another language has`);
  }
  return { tables, problems };
}

/**
 * Returns the `pass.json` with the texts that a phone shows.
 * @param languages the phone's languages as canonical tags, the preferred one first
 */
export function shownPass(
  { json, files }: { readonly json: PassJson; readonly files: ReadonlyMap<string, Buffer> },
  languages: readonly string[],
): PassJson {
  const { tables } = readStringTables(files);
  const table = languages.flatMap((tag) => tables.get(tag) ?? tables.get(tag.split('-')[0] ?? '') ?? [])[0];
  return JSON.parse(JSON.stringify(json), (name, value: unknown) =>
    typeof value === 'string' && looked.includes(name) ? (table?.get(value) ?? value) : value,
  ) as PassJson;
}

/**
 * Returns the files of a package in the phone's language. Files in the folder of this language replace the files
 * outside of folders. Without a folder for a language of the phone, the phone uses the first folder.
 * @param languages the phone's languages as canonical tags, the preferred one first
 */
export function shownFiles(files: ReadonlyMap<string, Buffer>, languages: readonly string[]): Map<string, Buffer> {
  const known = new Set([...files.keys()].flatMap((path) => folderForm.exec(path)?.[1] ?? []));
  const wanted = languages.flatMap((tag) => [tag, tag.split('-')[0] ?? '']).find((tag) => known.has(tag));
  const folder = `${wanted ?? [...known][0]}.lproj/`;
  const outside = [...files].filter(([path]) => !path.includes('/'));
  const inside = [...files].filter(([path]) => path.startsWith(folder));
  return new Map([...outside, ...inside.map(([path, bytes]) => [path.slice(folder.length), bytes] as const)]);
}

function parsed(bytes: Buffer): { table: StringTable; problem: string | null } {
  const table = new Map<string, string>();
  const text = decoded(bytes);
  if (text === null) return { table, problem: 'it is neither UTF-8 nor UTF-16' };
  for (let at = 0; at < text.length; at = part.lastIndex) {
    part.lastIndex = at;
    const found = part.exec(text);
    if (!found) return { table, problem: `it is no string table at character ${at}` };
    const [, key, value] = found;
    if (key === undefined || value === undefined) continue;
    if (table.has(unescaped(key))) return { table, problem: `it has "${unescaped(key)}" twice` };
    table.set(unescaped(key), unescaped(value));
  }
  return { table, problem: null };
}

/** Decodes UTF-16 with a byte order mark, or UTF-8 with or without one. */
function decoded(bytes: Buffer): string | null {
  const marks = { utf16be: bytes[0] === 0xfe && bytes[1] === 0xff, utf16le: bytes[0] === 0xff && bytes[1] === 0xfe };
  const encoding = marks.utf16be ? 'utf-16be' : marks.utf16le ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return text.replace(/\\([^])/g, (_, sign: string) => signs[sign] ?? sign);
}
