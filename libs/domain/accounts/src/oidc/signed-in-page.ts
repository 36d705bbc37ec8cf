import { formPage } from '../pages/form-page.js';
import type { PageResponse } from '../pages/page-response.js';
import { type SignInPage, wayOn } from '../pages/sign-in-hint.js';

/** Builds the last page of a sign-in in a browser without `returnTo`. The page shows no token and opens no session. */
export function signedInPage(
  options: SignInPage & { readonly baseUrl: string },
  { isInvited }: { readonly isInvited: boolean },
): PageResponse {
  const page = formPage({
    baseUrl: options.baseUrl,
    heading: isInvited ? 'Welcome' : 'Your identity is confirmed',
    state: {
      kind: 'good',
      text: isInvited ? 'The invitation is accepted.' : 'Your identity provider has signed you in.',
    },
    paragraphs: [
      options.signInUrl === undefined
        ? 'Sign in to the application that you work with. Your identity provider will not ask for your password again.'
        : 'Sign in with your identity provider to begin. It will not ask for your password again.',
    ],
    ...wayOn(options),
  });
  return { status: 200, page };
}

/** Returns true for a browser that shows the response to a person. */
export function isForPerson({ accept = '' }: { readonly accept?: string }): boolean {
  return /text\/html/i.test(accept.slice(0, 1000));
}
