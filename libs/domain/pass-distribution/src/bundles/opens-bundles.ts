/**
 * Whether a visitor is to be given a bundle, or a page in its place. Only Safari opens bundles; other browsers save the
 * file, to nobody's use. What is no browser (no `text/html` in `Accept`) knows what it asks for.
 * @see https://developer.apple.com/documentation/walletpasses/distributing-and-updating-a-pass
 */
export function opensBundles(accept: string | undefined, userAgent = ''): boolean {
  if (!accept?.includes('text/html')) return true;
  // "Version/" is Safari's own; browsers that borrow its name, and pages inside of apps, do not have it.
  return [/\b(iPhone|iPad|iPod|Macintosh)\b/, /\bVersion\/[\d.]+ /, /\bSafari\//].every((part) => part.test(userAgent));
}
