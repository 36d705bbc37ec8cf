import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Font, PathCommand } from 'opentype.js';

/** The weights of texts. */
export type Weight = 'regular' | 'medium' | 'bold';

/** The files of `roboto-fontface`, because `@fontsource/roboto` splits each weight into one file per script. */
const files: Record<Weight, string> = {
  regular: 'Roboto-Regular.woff',
  medium: 'Roboto-Medium.woff',
  bold: 'Roboto-Bold.woff',
};
const faces = new Map<Weight, Typeface>();

/**
 * The outlines and widths of the font Roboto, with Latin, Greek and Cyrillic letters. They make texts look the same on
 * every machine. The fonts of phones have nearly the same widths.
 */
export class Typeface {
  private readonly widths = new Map<string, number>();
  private readonly shapes = new Map<string, readonly PathCommand[]>();

  private constructor(private readonly font: Font) {}

  /** Returns the typeface, read from its file once. */
  static of(weight: Weight): Typeface {
    const known = faces.get(weight);
    if (known) return known;
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- loading takes 20 ms, and only previews need it
    const { parse } = require('opentype.js') as typeof import('opentype.js');
    const bytes = readFileSync(require.resolve(`roboto-fontface/fonts/roboto/${files[weight]}`));
    const face = new Typeface(parse(new Uint8Array(bytes).buffer));
    faces.set(weight, face);
    return face;
  }

  /** Returns true if the font has every character of a text. Combining marks are not supported. */
  covers(text: string): boolean {
    return !/[\p{M}\p{Cf}]/u.test(text) && [...text].every((character) => this.font.hasChar(character));
  }

  /** Returns the width of a covered text in units of the letter size. */
  width(text: string): number {
    let sum = 0;
    let previous = '';
    for (const character of text) {
      sum += this.advance(character) + this.kerning(previous, character);
      previous = character;
    }
    return sum;
  }

  /** Returns the outlines of a covered text as path data. @param x the left edge. @param y the baseline */
  outline(text: string, x: number, y: number, size: number): string {
    let data = '';
    let at = x;
    let previous = '';
    for (const character of text) {
      at += this.kerning(previous, character) * size;
      for (const command of this.shape(character)) data += written(command, at, y, size);
      at += this.advance(character) * size;
      previous = character;
    }
    return data;
  }

  /** Returns the outline of a character in size 1 at the origin. */
  private shape(character: string): readonly PathCommand[] {
    const known = this.shapes.get(character);
    if (known) return known;
    const { commands } = this.font.charToGlyph(character).getPath(0, 0, 1);
    this.shapes.set(character, commands);
    return commands;
  }

  private advance(character: string): number {
    return this.remembered(character, () => this.font.charToGlyph(character).advanceWidth ?? 0);
  }

  private kerning(left: string, right: string): number {
    if (left === '') return 0;
    const glyph = (character: string) => this.font.charToGlyph(character);
    return this.remembered(left + right, () => this.font.getKerningValue(glyph(left), glyph(right)));
  }

  private remembered(key: string, measure: () => number): number {
    const known = this.widths.get(key);
    if (known !== undefined) return known;
    const width = measure() / this.font.unitsPerEm;
    // Cache only a limited number of pairs, because there are about a million.
    if (this.widths.size < 20_000) this.widths.set(key, width);
    return width;
  }
}

/**
 * Reads all letters in advance to speed up the first picture. Takes about 30 ms per weight. The first picture reads a
 * file that cannot be read now.
 */
export async function readTypefaces(): Promise<void> {
  for (const weight of Object.keys(files) as Weight[]) {
    await setImmediate();
    try {
      Typeface.of(weight);
    } catch {
      return;
    }
  }
}

/** Formats one command of an outline as path data. */
function written(command: PathCommand, x: number, y: number, size: number): string {
  const point = (toX: number, toY: number) => `${hundredths(x + toX * size)} ${hundredths(y + toY * size)}`;
  switch (command.type) {
    case 'M':
    case 'L':
      return `${command.type}${point(command.x, command.y)}`;
    case 'Q':
      return `Q${point(command.x1, command.y1)} ${point(command.x, command.y)}`;
    case 'C':
      return `C${point(command.x1, command.y1)} ${point(command.x2, command.y2)} ${point(command.x, command.y)}`;
    case 'Z':
      return 'Z';
  }
}

function hundredths(value: number): string {
  return String(Math.round(value * 100) / 100);
}
