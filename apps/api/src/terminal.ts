import { styleText } from 'node:util';
import { terminalText } from './terminal-text.js';

/** A terminal that a person reads. */
export interface Terminal {
  readonly columns: number;
  readonly hasColors: boolean;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Returns the terminal behind an output stream; null for a file or a pipe. Node respects NO_COLOR and FORCE_COLOR. */
export function terminalOf(stream: NodeJS.WriteStream): Terminal | null {
  return stream.isTTY ? { columns: stream.columns || 80, hasColors: stream.hasColors() } : null;
}

/** Styles a text for a terminal. Escapes control characters in the text. */
export function styled(style: Style, text: string, hasColors: boolean): string {
  const shown = terminalText(text);
  return hasColors && shown !== '' ? styleText(style, shown, { validateStream: false }) : shown;
}

/** Breaks a text between words into lines of at most `width` characters. A longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
