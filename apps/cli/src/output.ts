import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './io.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** The parts of a printed error besides its message. */
export interface FailureParts {
  readonly hint?: string;
  /** The code of the error. Default: `failed`. */
  readonly code?: string;
  /** The address of the page that explains the code. */
  readonly docUrl?: string | null;
  /** Additional properties of the object that `--json` prints. */
  readonly details?: object;
}

/**
 * Prints for people and for programs. Results go to stdout. All other messages go to stderr, so that a pipe gets only
 * results. With `--json`, stdout contains only JSON.
 */
export class Output {
  json = false;
  /** True if the user has given `--no-color`. */
  plain = false;

  constructor(private readonly io: Pick<Io, 'stdout' | 'stderr' | 'env'>) {}

  /** The number of columns. A pipe has no limit, so its lines are not shortened. */
  get width(): number {
    return this.io.stdout.isTTY ? (this.io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Prints a line of the result for people. Prints nothing with `--json`. */
  line(text = ''): void {
    if (!this.json) this.io.stdout.write(`${this.fit(text, this.io.stdout)}\n`);
  }

  /** Prints the whole result for programs as indented JSON. Prints nothing without `--json`. */
  result(value: unknown): void {
    if (this.json) this.io.stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`);
  }

  /** Prints one of many results for programs as a line of NDJSON. Prints nothing without `--json`. */
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

  /** Prints the error of a failed command: one sentence, then the hint. With `--json`, prints an object on stdout. */
  failure(message: string, { hint: advice, code = 'failed', docUrl, details }: FailureParts = {}): void {
    const hint = advice?.replace(ownCommand, (_, words: string) => this.command(words));
    this.result({ ...details, error: { code, message, ...(hint && { hint }), ...(docUrl && { docUrl }) } });
    if (this.json) return;
    this.note(`${this.style('red', 'Error:', this.io.stderr)} ${message}`);
    if (hint) this.note(hint.replace(/^/gm, '  '));
  }

  /** Returns a command as the user can type it. If npm has started the program, it may not be in the PATH. */
  command(words: string): string {
    return `${this.io.env.npm_command ? 'npx ' : ''}passwright ${words}`;
  }

  /** Styles a text if the stream is a terminal or FORCE_COLOR is set. NO_COLOR and `--no-color` turn styles off. */
  style(style: Style, text: string, stream: { isTTY?: boolean } = this.io.stdout): string {
    return this.colours(stream) ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Prints rows in columns with two spaces between them. Each column is as wide as its longest cell. */
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

  /** Removes all terminal codes except our own styles, because values from the service may contain harmful ones. */
  private fit(text: string, stream: { isTTY?: boolean }): string {
    const own = this.colours(stream) ? text : stripVTControlCharacters(text);
    return own.replace(foreign, '');
  }
}

/** Matches control characters, characters that change the text direction, and escape codes other than styles. */
const foreign =
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\u001b(?!\[[\d;]{0,20}m)/g;

/** Matches a command of this program in a hint. Skips commands that already begin with `npx`. */
const ownCommand = /(?<!npx )\bpasswright (init|login|logout|whoami|templates|passes)\b/g;

/** Escapes characters that control terminals, as in `\\u202e`. A JSON parser still returns the same values. */
const escaped = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const shown = (text: string): number => stripVTControlCharacters(text).length;
