const ATTEMPT = 'passwright-attempt';

/** A sign-in that has returned from the identity provider. */
export interface ReturnedSignIn {
  readonly code: string | null;
  readonly problem: string | null;
}

/**
 * Sends the browser to the identity provider. A random `attempt` in the address later proves that this tab began the
 * sign-in.
 */
export function startAtProvider(baseUrl: string, storage: Storage): void {
  const attempt = crypto.randomUUID();
  storage.setItem(ATTEMPT, attempt);
  const returnTo = `${baseUrl}/workbench?attempt=${attempt}`;
  location.assign(`${baseUrl}/v1/auth/oidc/start?${new URLSearchParams({ returnTo }).toString()}`);
}

/** Reads the result of a sign-in from the address and removes it there. Returns null if the address has none. */
export function returnedSignIn(storage: Storage): ReturnedSignIn | null {
  const attempt = new URLSearchParams(location.search).get('attempt');
  const begun = storage.getItem(ATTEMPT);
  if (attempt === null) return null;
  const result = new URLSearchParams(location.hash.slice(1));
  storage.removeItem(ATTEMPT);
  history.replaceState(null, '', location.pathname);
  if (attempt !== begun) return { code: null, problem: 'This sign-in did not start in this tab. Sign in again.' };
  return { code: result.get('code'), problem: result.get('message') };
}
