import type { IncomingMessage } from 'node:http';
import { prefersPage } from '@passwright/passes';

/**
 * Returns true to serve a bundle, false to serve a page instead. Only Safari opens bundles; other browsers only save
 * the file. Clients other than browsers get the bundle.
 * @see https://developer.apple.com/documentation/walletpasses/distributing-and-updating-a-pass
 */
export function opensBundles(request: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (!prefersPage(request)) return true;
  const userAgent = request.headers['user-agent'] ?? '';
  // Only Safari sends "Version/"; browsers that imitate Safari, and pages inside apps, do not.
  return [/\b(iPhone|iPad|iPod|Macintosh)\b/, /\bVersion\/[\d.]+ /, /\bSafari\//].every((part) => part.test(userAgent));
}
