import { parsedUrl } from '../parsed-url.js';

/** Returns the address if a page may link to it; null for other texts, such as `javascript:`. */
export function webAddress(text: string): string | null {
  const url = parsedUrl(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
}
