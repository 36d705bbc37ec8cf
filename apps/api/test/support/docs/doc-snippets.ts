import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository. */
export const root = join(__dirname, '../../../../..');

/** A fenced block of a document. */
export interface Snippet {
  /** The path from the root, such as `README.md`. */
  readonly document: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The language, such as `sh`; empty if the fence names none. */
  readonly language: string;
  /** The text without the indentation of the fence. */
  readonly text: string;
  /**
   * The HTML comments directly before the block: `<!-- exits: 3 -->` becomes `exits` → `3`. A path without a name is
   * the value of `from`.
   */
  readonly marks: ReadonlyMap<string, string>;
  /** The file name in the sentence before the block, as in "Save this as `people.csv`:". */
  readonly file?: string;
}

const markNames = ['not run', 'given', 'from', 'output', 'rejected', 'exits', 'request', 'response'];

/** Reads a document. @param document the path from the root */
export function read(document: string): string {
  return readFileSync(join(root, document), 'utf8');
}

/**
 * Lists the fenced blocks of a document.
 * @throws Error if a fence is not closed or a mark is unknown
 */
export function snippetsOf(document: string, lines = read(document).split('\n')): Snippet[] {
  const snippets: Snippet[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indentation, fence, language] = /^(\s*)(`{3,}|~{3,})\s*(\S*)/.exec(lines[at] as string) ?? [];
    if (indentation === undefined || !fence) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end < 0) throw new Error(`${document}:${at + 1} opens a block that is not closed`);
    const text = lines.slice(at + 1, end).map((line) => line.replace(new RegExp(`^\\s{0,${indentation.length}}`), ''));
    const marks = marksBefore(document, lines, at);
    const file = fileNamedBefore(lines, at);
    snippets.push({ document, line: at + 1, language: language ?? '', text: text.join('\n'), marks, file });
    at = end;
  }
  return snippets;
}

function marksBefore(document: string, lines: readonly string[], fence: number): Map<string, string> {
  const marks = new Map<string, string>();
  for (let at = fence - 1; at >= 0; at--) {
    const line = (lines[at] as string).trim();
    if (line === '') continue;
    const [, name, value = ''] =
      /^<!-- ([a-z ]+?)(?:: (.*?))? -->$/.exec(line.replace(/^<!-- (?=\S+\/)/, '<!-- from: ')) ?? [];
    if (name === undefined) break;
    if (!markNames.includes(name))
      throw new Error(`${document}:${at + 1} «${name}» is not one of ${markNames.join(', ')}`);
    marks.set(name, value);
  }
  return marks;
}

/** Finds "Save this as `name`" in the paragraph before a block. */
function fileNamedBefore(lines: readonly string[], fence: number): string | undefined {
  const isProse = (line: string) => line.trim() !== '' && !/^\s*<!--.*-->$/.test(line);
  const last = lines.slice(0, fence).findLastIndex(isProse);
  const first = lines.slice(0, last + 1).findLastIndex((line) => !isProse(line)) + 1;
  return /\b[Ss]ave this as `([^`]+)`/.exec(lines.slice(first, last + 1).join(' '))?.[1];
}

/** Lists the `code` that a document names within sentences. */
export function inlineCode(document: string): string[] {
  const prose = read(document).replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2$/gm, '');
  return [...prose.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code]) => code as string);
}
