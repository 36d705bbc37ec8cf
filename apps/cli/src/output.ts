import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './io.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * What people and programs see. Results go to stdout, everything said on the way to stderr, so that a pipe gets
 * results alone. With `--json` stdout carries JSON and nothing else.
 */
export class Output {
  json = false;
  /** Set by `--no-color`. */
  plain = false;

  constructor(private readonly io: Pick<Io, 'stdout' | 'stderr' | 'env'>) {}

  /** Columns to lay out for; a pipe has no edge, and gets whole lines. */
  get width(): number {
    return this.io.stdout.isTTY ? (this.io.stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** A line of the result for people; nothing with `--json`. */
  line(text = ''): void {
    if (!this.json) this.io.stdout.write(`${this.fit(text, this.io.stdout)}\n`);
  }

  /** The whole result for programs, indented; nothing without `--json`. */
  result(value: unknown): void {
    if (this.json) this.io.stdout.write(`${escaped(JSON.stringify(value, null, 2))}\n`);
  }

  /** One of many results for programs, one a line (NDJSON); nothing without `--json`. */
  item(value: unknown): void {
    if (this.json) this.io.stdout.write(`${escaped(JSON.stringify(value))}\n`);
  }

  /** What goes on, what was left out, what to do next: on stderr, with `--json` too. */
  note(text: string): void {
    this.io.stderr.write(`${this.fit(text, this.io.stderr)}\n`);
  }

  warn(text: string): void {
    this.note(`${this.style('yellow', 'Warning:', this.io.stderr)} ${text}`);
  }

  /** The last word of a command that failed: one sentence, then what to do. With `--json` an object on stdout. */
  failure(message: string, hint?: string, code = 'failed', details?: object): void {
    this.result({ ...details, error: { code, message, ...(hint && { hint }) } });
    if (this.json) return;
    this.note(`${this.style('red', 'Error:', this.io.stderr)} ${message}`);
    if (hint) this.note(hint.replace(/^/gm, '  '));
  }

  /** Coloured where the stream is a terminal (or FORCE_COLOR is set), unless NO_COLOR or `--no-color` is. */
  style(style: Style, text: string, stream: { isTTY?: boolean } = this.io.stdout): string {
    return this.colours(stream) ? styleText(style, text, { validateStream: false }) : text;
  }

  /** Rows as columns two spaces apart; the widths are those of the longest cells. */
  table(rows: readonly (readonly string[])[], indent = ''): void {
    const widths: number[] = [];
    for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, shown(cell))));
    for (const row of rows) {
      const cells = row.map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - shown(cell)));
      this.line(`${indent}${cells.join('  ')}`.trimEnd());
    }
  }

  /** Whether a stream shows colours. */
  colours(stream: { isTTY?: boolean }): boolean {
    const { NO_COLOR, FORCE_COLOR, TERM } = this.io.env;
    if (this.plain || NO_COLOR) return false;
    if (FORCE_COLOR) return FORCE_COLOR !== '0';
    return stream.isTTY === true && TERM !== 'dumb';
  }

  /** What came from the service may hold terminal codes; only our own styles get through. */
  private fit(text: string, stream: { isTTY?: boolean }): string {
    const own = this.colours(stream) ? text : stripVTControlCharacters(text);
    return own.replace(foreign, '');
  }
}

/** Control characters, escape codes that set no style, and turns of the direction of text. */
const foreign =
  /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\u001b(?!\[[\d;]{0,20}m)/g;

/** JSON with what terminals act on as `\\u202e`: the same to programs. */
const escaped = (json: string): string =>
  json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const shown = (text: string): number => stripVTControlCharacters(text).length;
