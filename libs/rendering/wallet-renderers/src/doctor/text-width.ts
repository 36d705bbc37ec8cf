const nothing = /[\p{M}\p{Cf}\u{1f3fb}-\u{1f3ff}]/u;
const double =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uff01-\uff60]/u;
const narrow = /[fijlrtI.,:;'|!()[\] ]/;
const broad = /[\p{Lu}mw@%&]/u;

/** A date with its time, as phones write it: `21 Nov 2026 at 10:00`. */
export const dateWidth = 21;

/**
 * How wide a text is drawn, in average small letters: an estimate from the kind of each character, since fonts are not
 * at hand. Marks and joiners take no room, nor does what is joined. Of a long text the beginning is enough: no place
 * has room for it.
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
