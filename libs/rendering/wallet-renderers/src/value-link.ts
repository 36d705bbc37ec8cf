import { parsedUrl } from './parsed-url.js';

/**
 * Returns the normalised address if the whole value is a web address, telephone number or e-mail address; otherwise
 * null. Other schemes never become links, because they may be unsafe.
 */
export function linkOf(value: string): string | null {
  const text = value.trim();
  // Remove the spaces with which people write telephone numbers.
  if (/^tel:\+?[\d ().-]+$/i.test(text)) return `tel:${text.slice(4).replaceAll(' ', '')}`;
  return /^(?:https?:\/\/|mailto:)\S+$/i.test(text) ? (parsedUrl(text)?.href ?? null) : null;
}
