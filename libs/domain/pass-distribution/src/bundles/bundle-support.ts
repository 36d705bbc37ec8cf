import type { IncomingMessage } from 'node:http';
import { prefersPage } from '@passwright/passes';

/**
 * Returns true if the client should get a bundle, and false if it should get a page instead. Browsers other than Safari
 * get the page, because they only save a bundle as a file.
 * @see https://developer.apple.com/documentation/walletpasses/distributing-and-updating-a-pass
 */
export function opensBundles(request: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (!prefersPage(request)) return true;
  const userAgent = request.headers['user-agent'] ?? '';
  // Only Safari sends "Version/". Browsers that imitate Safari and web views in apps do not send it.
  return [/\b(iPhone|iPad|iPod|Macintosh)\b/, /\bVersion\/[\d.]+ /, /\bSafari\//].every((part) => part.test(userAgent));
}
