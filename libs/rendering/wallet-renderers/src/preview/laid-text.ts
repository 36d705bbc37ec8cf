import { textWidth } from '../doctor/text-width.js';
import { Typeface, type Weight } from './typeface.js';

/** How a text is to be written into the width it has. Sizes in points. */
export interface TextStyle {
  readonly size: number;
  /** Down to this it is made smaller before it is cut; `size` unless given. */
  readonly minSize?: number;
  readonly weight?: Weight;
  /** 1 unless given. */
  readonly maxLines?: number;
}

/** A text as it stands in its place. */
export interface LaidText {
  readonly lines: readonly string[];
  readonly size: number;
  /** True when not all of it is shown: the last line then ends with an ellipsis. */
  readonly isCut: boolean;
  /** True when its outlines are drawn; else a font of the viewer's writes it, and `width` is an estimate. */
  readonly isOutlined: boolean;
  readonly isRightToLeft: boolean;
  /** Of its widest line, in points: at most what there was. */
  readonly width: number;
}

/** What no place has room for is not even looked at. */
const longest = 2000;
const ellipsis = '…';
/** An average small letter of a font that nobody has measured, on the generous side, in units of the letter size. */
const estimatedLetter = 0.58;
const graphemes = new Intl.Segmenter();
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Breaks a text into lines and cuts it where its place ends, never through what is read as one character. A place of
 * one line shows what stands before a line break.
 */
export function layText(text: string, width: number, style: TextStyle): LaidText {
  const { size, minSize = size, weight = 'regular', maxLines = 1 } = style;
  const clean = drawable(text).slice(0, longest);
  const face = Typeface.of(weight);
  const isOutlined = face.covers(clean.replaceAll('\n', '') + ellipsis);
  const unit = (line: string) => (isOutlined ? face.width(line) : textWidth(line) * estimatedLetter);
  const paragraphs = clean.split('\n');
  const natural = unit(paragraphs[0] ?? '') || 1;
  const fitting = maxLines === 1 ? Math.max(minSize, Math.min(size, width / natural)) : size;
  const { lines, isCut } = broken(paragraphs, maxLines, (line) => unit(line) * fitting <= width + 0.01);
  const widest = Math.max(0, ...lines.map((line) => unit(line) * fitting));
  return {
    lines,
    size: fitting,
    isCut: isCut || text.length > longest,
    isOutlined,
    isRightToLeft: rightToLeft.test(lines[0] ?? ''),
    width: Math.min(width, widest),
  };
}

/** What can be written into a picture: without control characters, and without those that turn the order of others. */
function drawable(text: string): string {
  return text
    .slice(0, longest + 1)
    .normalize('NFC')
    .replace(/[\u2028\u2029]|\r\n?/g, '\n')
    .replace(/[\p{Cs}\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .replace(/[\t\p{Zs}]+/gu, ' ')
    .replace(/[^\P{Cc}\n]/gu, '')
    .trim();
}

function broken(paragraphs: readonly string[], maxLines: number, fits: (line: string) => boolean) {
  const lines: string[] = [];
  for (const [index, paragraph] of paragraphs.entries()) {
    let rest = paragraph;
    do {
      const isLast = lines.length === maxLines - 1;
      const more = index < paragraphs.length - 1;
      if (fits(rest) && !(isLast && more)) {
        lines.push(rest);
        break;
      }
      if (isLast) return { lines: [...lines, cut(rest, fits)], isCut: true };
      const line = filled(rest, fits);
      lines.push(line.trimEnd());
      rest = rest.slice(line.length).trimStart();
    } while (rest !== '');
  }
  return { lines, isCut: false };
}

/** As many words as fit; of a word that is wider than the line, as many characters, and one at least. */
function filled(text: string, fits: (line: string) => boolean): string {
  const whole = longestThat(text, (line) => fits(line.trimEnd()));
  if (whole.length === text.length || text[whole.length] === ' ') return whole;
  const space = whole.lastIndexOf(' ');
  if (space > 0) return whole.slice(0, space + 1);
  // Scripts without spaces break between any two characters, but not within a number.
  const number = /(?<!\d)\d+$/.exec(whole);
  return number && number.index > 0 && /\d/.test(text[whole.length] ?? '') ? whole.slice(0, number.index) : whole;
}

function cut(text: string, fits: (line: string) => boolean): string {
  const withEllipsis = (line: string) => line.trimEnd() + ellipsis;
  const shown = longestThat(text, (line) => fits(withEllipsis(line)));
  return fits(withEllipsis(shown)) ? withEllipsis(shown) : ellipsis;
}

/** The longest beginning that fits, found by halving; one character when not even that does. */
function longestThat(text: string, fits: (line: string) => boolean): string {
  const ends = Array.from(graphemes.segment(text), ({ index, segment }) => index + segment.length);
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(text.slice(0, ends[middle]))) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, ends[low] ?? 0);
}
