import { terminalText } from '../terminal-text.js';

/** The value of a cell. A missing one is shown as a dash. */
export type Cell = string | number | Date | null | undefined;

/** Formats rows in aligned columns with headers. @param columns returns the value of each column for a row */
export function table<Row>(rows: readonly Row[], columns: Readonly<Record<string, (row: Row) => Cell>>): string {
  const names = Object.keys(columns);
  const body = rows.map((row) => names.map((name) => shown(columns[name]?.(row))));
  return aligned([names.map((name) => name.toUpperCase()), ...body]);
}

/** Formats one object with a line for each property. */
export function list(properties: Readonly<Record<string, Cell>>): string {
  return aligned(Object.entries(properties).map(([name, value]) => [name, shown(value)]));
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ''))));
  const padded = (text: string, column: number) => text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - width(text)));
  return lines.map((line) => `${line.map(padded).join('  ').trimEnd()}\n`).join('');
}

function shown(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  return value instanceof Date ? value.toISOString() : terminalText(String(value)).replaceAll('\n', '\\u000a');
}

/** Returns the number of characters, which is nearly the width in a terminal. */
const width = (text: string) => [...text].length;
