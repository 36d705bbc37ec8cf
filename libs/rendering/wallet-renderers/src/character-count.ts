/**
 * Returns the number of characters of a text as the validation of requests counts them: each Unicode code point is one
 * character.
 */
export function characterCount(text: string): number {
  const pairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - pairs;
}
