import { randomInt } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Snippet } from './doc-snippets.js';
import type { InstalledPackages } from './installed-packages.js';

/** Texts in documents that a reader replaces, with the test's values. */
export type Placeholders = readonly (readonly [pattern: RegExp, own: string])[];

/** Returns true if a session runs a block or saves it as a file. */
export function isRun({ language, marks, file }: Snippet): boolean {
  return !marks.has('not run') && !marks.has('from') && (language === 'sh' || file !== undefined);
}

/** The state in which a document's session starts. */
export interface Beginning {
  /** The commands that the reader has already pasted, in bash. */
  readonly pasted: string;
  readonly packages: InstalledPackages;
  readonly files: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly placeholders: Placeholders;
}

/**
 * Runs the blocks of a document in order, in one bash session in a new folder. A failed command or a rejected request
 * ends the run.
 * @throws Error that names the line, with the output of the block
 */
export async function runDocument(lines: number, snippets: readonly Snippet[], beginning: Beginning): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'passwright docs '));
  try {
    await run(folder, lines, snippets, beginning);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function run(folder: string, lines: number, snippets: readonly Snippet[], beginning: Beginning): Promise<void> {
  const work = join(folder, 'work');
  for (const dir of ['work', 'out', 'blocks']) mkdirSync(join(folder, dir));
  for (const [name, text] of Object.entries(beginning.files)) writeFileSync(join(work, name), text);
  beginning.packages.installIn(work);
  const filled = snippets.map((snippet) => ({ ...snippet, text: replaced(snippet.text, beginning.placeholders) }));
  writeFileSync(join(folder, 'script.sh'), scriptOf(folder, lines, filled.filter(isRun)));
  writeFileSync(join(folder, 'prelude.sh'), preludeOf(folder, replaced(beginning.pasted, beginning.placeholders)));
  const { PATH, TMPDIR, LANG } = process.env;
  const child = spawn('bash', [join(folder, 'script.sh')], {
    cwd: work,
    env: { TMPDIR, LANG, PATH, HOME: work, npm_config_update_notifier: 'false', ...beginning.variables, BASH_ENV: '' },
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: 180_000,
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(failureOf(folder, filled, String(code)));
  for (const snippet of filled.filter(isRun)) checkOutput(folder, snippet, filled);
}

/** Puts every block at its line in the document, so that bash reports the right line numbers. */
function scriptOf(folder: string, length: number, snippets: readonly Snippet[]): string {
  const lines = new Array<string>(length).fill('');
  lines[0] = `. '${folder}/prelude.sh'`;
  for (const { line, text, marks, file } of snippets) {
    const begin = `begin ${line} ${marks.has('rejected') ? 'rejected' : ''}`;
    if (file === undefined) {
      const [before, after] = marks.has('exits') ? ['; set +e', `ends ${marks.get('exits')}`] : ['', ''];
      const commands = [`${begin}${before}`, ...text.split('\n'), after];
      commands.forEach((command, index) => (lines[line - 1 + index] = command));
    } else {
      const block = join(folder, 'blocks', String(line));
      writeFileSync(block, `${text}\n`);
      lines[line - 1] = `${begin}; mkdir -p "${dirname(file)}"; cp '${block}' "${file}"`;
    }
  }
  return lines.join('\n');
}

/**
 * Returns the beginning of the script, with the commands that the reader has already pasted. A rejected request fails
 * even with curl's `-s`, unless the block is marked as rejected. `npx` starts the program directly, because npm takes
 * 0.3 s each time.
 */
function preludeOf(folder: string, pasted: string): string {
  return `
set -euo pipefail
trap '__status=$?; echo "$__block $LINENO $__status" > "${folder}/failed"' ERR
begin() { __block=$1; __rejected=\${2:-}; exec > "${folder}/out/$1" 2> "${folder}/out/$1.err"; }
ends() { __status=$?; set -e; echo "exited with $__status" >&2; [ $__status = $1 ]; }
curl() {
  if [ "$__rejected" ]; then set -- "$@"; else set -- --fail-with-body "$@"; fi
  command curl --max-time 20 -H 'X-Forwarded-For: ${ownAddress()}' "$@" || return $?
}
npx() { "${folder}/work/node_modules/.bin/$1" "\${@:2}" || return $?; }
begin 0
${pasted}`;
}

/** Returns an unused client address, because addresses have limits. */
function ownAddress(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
}

function replaced(text: string, placeholders: Placeholders): string {
  return placeholders.reduce((result, [pattern, own]) => result.replace(pattern, own), text);
}

function failureOf(folder: string, snippets: readonly Snippet[], code: string): string {
  const { document } = snippets[0] as Snippet;
  if (!existsSync(join(folder, 'failed'))) {
    const last = snippets.findLast(({ line }) => existsSync(join(folder, 'out', `${line}.err`)));
    return `${document}: the block at line ${last?.line} ended bash with ${code}: ${printed(folder, last?.line)}`;
  }
  const [block, line, status] = readFileSync(join(folder, 'failed'), 'utf8').trim().split(' ');
  return `${document}:${line} (block at line ${block}) failed with ${status}:\n${printed(folder, Number(block))}`;
}

function printed(folder: string, line = 0): string {
  return [`${line}`, `${line}.err`]
    .map((name) => join(folder, 'out', name))
    .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
    .join('\n')
    .slice(-4000);
}

/**
 * Checks that a block prints its declared output, in which `…` matches any text, and that its declared rejections
 * happen.
 */
function checkOutput(folder: string, { document, line, marks }: Snippet, snippets: readonly Snippet[]): void {
  const output = printed(folder, line);
  const rejected = marks.get('rejected');
  if (rejected !== undefined && !output.includes(`"code":"${rejected}"`)) {
    throw new Error(`${document}:${line} is not rejected with ${rejected}:\n${output}`);
  }
  const said = snippets.find((other) => other.line > line);
  if (said?.marks.has('output') && !fits(said.text, readFileSync(join(folder, 'out', String(line)), 'utf8'))) {
    throw new Error(`${document}:${said.line} is not what the block at line ${line} prints:\n${output}`);
  }
}

function fits(said: string, output: string): boolean {
  const parts = said
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(output.trim());
}
