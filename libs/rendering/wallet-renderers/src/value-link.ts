/**
 * The address that a value is as a whole, in its normal form; null for any other text. No other scheme than these ever
 * becomes a link: what it would do is not ours to say.
 */
export function linkOf(value: string): string | null {
  const text = value.trim();
  // People write telephone numbers with spaces.
  if (/^tel:\+?[\d ().-]+$/i.test(text)) return `tel:${text.slice(4).replaceAll(' ', '')}`;
  if (!/^(?:https?:\/\/|mailto:)\S+$/i.test(text) || !URL.canParse(text)) return null;
  return new URL(text).href;
}
