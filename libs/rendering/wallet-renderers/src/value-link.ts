/**
 * Returns the normalised address if the whole value is a web address, telephone number or e-mail address; otherwise
 * null. Other schemes never become links, because they may be unsafe.
 */
export function linkOf(value: string): string | null {
  const text = value.trim();
  // Remove the spaces with which people write telephone numbers.
  if (/^tel:\+?[\d ().-]+$/i.test(text)) return `tel:${text.slice(4).replaceAll(' ', '')}`;
  if (!/^(?:https?:\/\/|mailto:)\S+$/i.test(text) || !URL.canParse(text)) return null;
  return new URL(text).href;
}
