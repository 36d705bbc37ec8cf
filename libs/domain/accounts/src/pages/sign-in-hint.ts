import type { UsersAccount } from '../users/user-credentials.repository.js';
import type { FormPageContent, PageText } from './form-page.js';

/** The page where users sign in, if the installation has one. */
export interface SignInPage {
  readonly signInUrl?: string;
}

/**
 * Returns a hint that says where to sign in: on the sign-in page of the installation, or in the accounts' own
 * applications.
 */
export function signInHint(accounts: readonly Pick<UsersAccount, 'name'>[], { signInUrl }: SignInPage = {}): PageText {
  if (accounts.length === 0) return 'You can sign in now.';
  const names = accounts.flatMap(({ name }, index) => [
    ...(index === 0 ? [] : [index === accounts.length - 1 ? ' or ' : ', ']),
    { strong: name },
  ]);
  return signInUrl === undefined
    ? ['You can now sign in with the application of ', ...names, '.']
    : ['Sign in to work in ', ...names, '.'];
}

/**
 * Returns the sign-in page as a button, for the last page of a process; nothing if the installation has no sign-in
 * page.
 */
export function wayOn({ signInUrl }: SignInPage): Pick<FormPageContent, 'next'> {
  return signInUrl === undefined ? {} : { next: { text: 'Sign in', href: signInUrl } };
}

/** Returns the sign-in page as a text link, for a page that has another button or needs no button. */
export function wayBack({ signInUrl }: SignInPage): Pick<FormPageContent, 'links'> {
  return signInUrl === undefined ? {} : { links: [{ text: 'Back to the sign-in', href: signInUrl }] };
}

/**
 * Returns the name of the user's only account, to show above a page. Returns nothing for a user with several accounts.
 */
export function brandOf(accounts: readonly Pick<UsersAccount, 'name'>[]): Pick<FormPageContent, 'brand'> {
  const [only, ...others] = accounts;
  return only && others.length === 0 ? { brand: only.name } : {};
}
