/**
 * Returns the number of characters of a text as the validation of requests counts them: a surrogate pair is one
 * character, and a variation selector that follows a character is not counted.
 */
export function characterCount(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  const selectors = text.match(/[^\ufe0e\ufe0f][\ufe0e\ufe0f]/g)?.length ?? 0;
  return text.length - pairs - selectors;
}
