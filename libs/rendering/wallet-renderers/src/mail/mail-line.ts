/**
 * Returns the text as one line. Line breaks, tabs, other control characters, and characters that change the direction of
 * text become a space; unpaired surrogates become a replacement character. With a change of direction, a title could
 * change how the sentence around it reads.
 */
export function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim();
}

/** Splits a text into its lines, so that mail programs break it where the author did. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) =>
    line
      .replace(/\p{Cc}/gu, ' ')
      .replace(/\p{Cs}/gu, '\ufffd')
      .trimEnd(),
  );
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Truncates a text to at most `max` UTF-16 units without splitting a visible character. Adds an ellipsis if anything
 * was cut.
 */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  let stored = '';
  for (const { segment } of graphemes.segment(text.slice(0, max))) {
    if (stored.length + segment.length >= max) break;
    stored += segment;
  }
  return `${stored.trimEnd()}…`;
}
