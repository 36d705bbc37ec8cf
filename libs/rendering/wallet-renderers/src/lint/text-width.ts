const nothing = /[\p{M}\p{Cf}\u{1f3fb}-\u{1f3ff}]/u;
const double =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uff01-\uff60]/u;
const narrow = /[fijlrtI.,:;'|!()[\] ]/;
const broad = /[\p{Lu}mw@%&]/u;

/** The width of a date with its time on phones: `21 Nov 2026 at 10:00`. */
export const dateWidth = 21;

/**
 * Estimates the width of a text in average lower-case letters, because the phones' fonts are not available. Marks and
 * joined characters have no width. Measures only the start of a long text.
 */
export function textWidth(text: string): number {
  let width = 0;
  let joined = false;
  for (const character of text.slice(0, 1000)) {
    if (!joined) width += characterWidth(character);
    joined = character === '\u200d';
  }
  return width;
}

function characterWidth(character: string): number {
  if (nothing.test(character)) return 0;
  if (double.test(character)) return 2;
  if (narrow.test(character)) return 0.5;
  return broad.test(character) ? 1.25 : 1;
}
