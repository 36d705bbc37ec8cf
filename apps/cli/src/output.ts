import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './io.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** The parts of an error besides its sentence. */
export interface FailureParts {
  readonly hint?: string;
  /** Default: `failed`. */
  readonly code?: string;
  /** The address of the page that explains the code. */
  readonly docUrl?: string | null;
  /** Additional properties of the object that `--json` prints. */
  readonly details?: object;
}

/**
 * Writes for people and for programs. Results go to stdout and all other messages to stderr, so that a pipe gets only
 * results. With `--json`, stdout contains only JSON.
 */
export class Output {
  json = false;
  /** True after `--no-color`. */
  plain = false;

  constructor(private readonly io: Pick<Io, 'stdout' | 'stderr' | 'env'>) {}

  /** The number of columns. A pipe has no limit and gets whole lines. */
  get width(): number {
    return this.io.stdout.isTTY ? (this.io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Prints a line of the result for people; nothing with `--json`. */
  line(text = ''): void {
    if (!this.json) this.io.stdout.write(`${this.fit(text, this.io.stdout)}\n`);
  }

  /** Prints the whole result for programs as indented JSON; nothing without `--json`. */
  result(value: unknown): void {
    if (this.json) this.io.stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`);
  }

  /** Prints one of many results for programs as a line of NDJSON; nothing without `--json`. */
  item(value: unknown): void {
    if (this.json) this.io.stdout.write(`${escaped(JSON.stringify(value))}\n`);
  }

  /** Prints progress, omissions and next steps on stderr, even with `--json`. */
  note(text: string): void {
    this.io.stderr.write(`${this.fit(text, this.io.stderr)}\n`);
  }

  warn(text: string): void {
    this.note(`${this.style('yellow', 'Warning:', this.io.stderr)} ${text}`);
  }

  /** Prints the error of a failed command: one sentence, then what to do. With `--json` it is an object on stdout. */
  failure(message: string, { hint: advice, code = 'failed', docUrl, details }: FailureParts = {}): void {
    const hint = advice?.replace(ownCommand, (_, words: string) => this.command(words));
    this.result({ ...details, error: { code, message, ...(hint && { hint }), ...(docUrl && { docUrl }) } });
    if (this.json) return;
    this.note(`${this.style('red', 'Error:', this.io.stderr)} ${message}`);
    if (hint) this.note(hint.replace(/^/gm, '  '));
  }

  /** Returns a command as the person can type it. If npm has started the program, it might not be in their PATH. */
  command(words: string): string {
    return `${this.io.env.npm_command ? 'npx ' : ''}passwright ${words}`;
  }

  /** Styles a text if the stream is a terminal or FORCE_COLOR is set, unless NO_COLOR or `--no-color` is set. */
  style(style: Style, text: string, stream: { isTTY?: boolean } = this.io.stdout): string {
    return this.colours(stream) ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Prints rows in columns two spaces apart, as wide as their longest cells. */
  table(rows: readonly (readonly string[])[], indent = ''): void {
    const widths: number[] = [];
    for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, shown(cell))));
    for (const row of rows) {
      const cells = row.map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - shown(cell)));
      this.line(`${indent}${cells.join('  ')}`.trimEnd());
    }
  }

  /** Returns true if a stream shows colours. */
  colours(stream: { isTTY?: boolean }): boolean {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.io.env;
    if (this.plain || NO_COLOR) return false;
    if (FORCE_COLOR) return FORCE_COLOR !== '0';
    return stream.isTTY === true && TERM !== 'dumb';
  }

  /** Removes all terminal codes except our own styles, because values from the service may contain others. */
  private fit(text: string, stream: { isTTY?: boolean }): string {
    const own = this.colours(stream) ? text : stripVTControlCharacters(text);
    return own.replace(foreign, '');
  }
}

/** Matches control characters, escape codes that set no style, and direction characters. */
const foreign =
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\u001b(?!\[[\d;]{0,20}m)/g;

/** Matches a command of this program in a hint, unless `npx` precedes it. */
const ownCommand = /(?<!npx )\bpasswright (init|login|logout|whoami|templates|passes)\b/g;

/** Escapes characters that terminals act on, as in `\\u202e`. Programs read the same JSON. */
const escaped = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const shown = (text: string): number => stripVTControlCharacters(text).length;
