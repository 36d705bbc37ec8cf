/**
 * Returns true to serve a bundle, false to serve a page instead. Only Safari opens bundles; other browsers only save
 * the file. Clients other than browsers (no `text/html` in `Accept`) get the bundle.
 * @see https://developer.apple.com/documentation/walletpasses/distributing-and-updating-a-pass
 */
export function opensBundles(accept: string | undefined, userAgent = ''): boolean {
  if (!accept?.includes('text/html')) return true;
  // Only Safari sends "Version/"; browsers that imitate Safari, and pages inside apps, do not.
  return [/\b(iPhone|iPad|iPod|Macintosh)\b/, /\bVersion\/[\d.]+ /, /\bSafari\//].every((part) => part.test(userAgent));
}
