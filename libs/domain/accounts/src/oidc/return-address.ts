import { ValidationFailed } from '@passwright/core';

/**
 * Checks the URL to which a sign-in returns. Its origin and path must equal those of an allowed URL; its query may be
 * anything.
 * @throws ValidationFailed
 */
export function returnAddress(text: string, allowed: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const hasMore = url !== null && (url.username !== '' || url.password !== '' || url.hash !== '' || text.includes('#'));
  if (!url || hasMore || !allowed.includes(url.origin + url.pathname)) {
    throw new ValidationFailed(
      'returnTo must be one of the addresses that the operator has allowed (OIDC_RETURN_URLS), to the letter but for a query, and without a fragment',
    );
  }
  return url.href;
}
