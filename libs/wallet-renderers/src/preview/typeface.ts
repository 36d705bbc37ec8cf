import { readFileSync } from 'node:fs';
import { type Font, parse } from 'opentype.js';

/** The weights that texts are drawn in. */
export type Weight = 'regular' | 'medium' | 'bold';

const files: Record<Weight, string> = {
  regular: 'Roboto-Regular.woff',
  medium: 'Roboto-Medium.woff',
  bold: 'Roboto-Bold.woff',
};
const faces = new Map<Weight, Typeface>();

/**
 * A font's outlines and widths, so that a text looks and is cut the same on every machine, whatever fonts it has.
 * Roboto: Latin, Greek and Cyrillic letters. Phones write in other fonts, of nearly the same widths.
 */
export class Typeface {
  private readonly widths = new Map<string, number>();

  private constructor(private readonly font: Font) {}

  /** Read from its file once. */
  static of(weight: Weight): Typeface {
    const known = faces.get(weight);
    if (known) return known;
    const bytes = readFileSync(require.resolve(`roboto-fontface/fonts/roboto/${files[weight]}`));
    const face = new Typeface(parse(new Uint8Array(bytes).buffer));
    faces.set(weight, face);
    return face;
  }

  /** Whether it has every character of a text; marks that are put together with letters it cannot place. */
  covers(text: string): boolean {
    return !/[\p{M}\p{Cf}]/u.test(text) && [...text].every((character) => this.font.hasChar(character));
  }

  /** How far a covered text reaches, in units of the letter size. */
  width(text: string): number {
    let sum = 0;
    let previous = '';
    for (const character of text) {
      sum += this.advance(character) + this.kerning(previous, character);
      previous = character;
    }
    return sum;
  }

  /** The outlines of a covered text as path data. @param x of its left edge. @param y of its baseline */
  outline(text: string, x: number, y: number, size: number): string {
    let data = '';
    let at = x;
    let previous = '';
    for (const character of text) {
      at += this.kerning(previous, character) * size;
      data += this.font.charToGlyph(character).getPath(at, y, size).toPathData(2);
      at += this.advance(character) * size;
      previous = character;
    }
    return data;
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
    // Its characters are about a thousand, their pairs a million: only those that are met are kept, and not all.
    if (this.widths.size < 20_000) this.widths.set(key, width);
    return width;
  }
}
