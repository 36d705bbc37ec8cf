/** Text as one line: breaks, tabs and other control characters become a space, half characters a replacement. */
export function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Cs}/gu, '\ufffd')
    .trim();
}

/** Text by its lines, for mail programs to break where its author did. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).map((line) =>
    line
      .replace(/\p{Cc}/gu, ' ')
      .replace(/\p{Cs}/gu, '\ufffd')
      .trimEnd(),
  );
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** At most `max` UTF-16 units: whole characters as people see them, and an ellipsis where some are missing. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text.slice(0, max))) {
    if (kept.length + segment.length >= max) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
