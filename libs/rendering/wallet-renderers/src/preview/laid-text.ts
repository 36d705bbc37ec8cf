import { textWidth } from '../lint/text-width.js';
import { Typeface, type Weight } from './typeface.js';

/** The style of a text in a limited width, with sizes in points. */
export interface TextStyle {
  readonly size: number;
  /** The smallest size that is tried before the text is cut. Default: `size`. */
  readonly minSize?: number;
  readonly weight?: Weight;
  /** The maximum number of lines. Default: 1. */
  readonly maxLines?: number;
}

/** A text laid out in its position. */
export interface LaidText {
  readonly lines: readonly string[];
  readonly size: number;
  /** True if the text is cut. The last line then ends with an ellipsis. */
  readonly isCut: boolean;
  /**
   * True if the text is drawn as outlines. Otherwise the viewer's device chooses the font, and `width` is an estimate.
   */
  readonly isOutlined: boolean;
  readonly isRightToLeft: boolean;
  /** The width of the widest line in points, at most the available width. */
  readonly width: number;
}

/** The maximum number of characters to lay out. A pass never shows more in one place. */
const longest = 2000;
const ellipsis = '…';
/** A generous estimate of an average small letter in an unknown font, in units of the letter size. */
const estimatedLetter = 0.58;
const graphemes = new Intl.Segmenter();
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Breaks a text into lines, and truncates it after the last line that fits, but never within a visible character. */
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

/** Removes control characters and characters that change the direction of text. */
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

/**
 * Returns as many words as fit. If even the first word is wider than the line, returns as many characters as fit, at
 * least one.
 */
function filled(text: string, fits: (line: string) => boolean): string {
  const whole = longestThat(text, (line) => fits(line.trimEnd()));
  if (whole.length === text.length || text[whole.length] === ' ') return whole;
  const space = whole.lastIndexOf(' ');
  if (space > 0) return whole.slice(0, space + 1);
  // In a script without spaces, a line may break between any two characters, but not within a number.
  const number = /(?<!\d)\d+$/.exec(whole);
  return number && number.index > 0 && /\d/.test(text[whole.length] ?? '') ? whole.slice(0, number.index) : whole;
}

function cut(text: string, fits: (line: string) => boolean): string {
  const withEllipsis = (line: string) => line.trimEnd() + ellipsis;
  const shown = longestThat(text, (line) => fits(withEllipsis(line)));
  return fits(withEllipsis(shown)) ? withEllipsis(shown) : ellipsis;
}

/** Returns the longest prefix that fits, at least one character. Uses a binary search. */
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
