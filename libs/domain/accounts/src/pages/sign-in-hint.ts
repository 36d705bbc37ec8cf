import type { UsersAccount } from '../users/user-credentials.repository.js';
import type { PageText } from './form-page.js';

/** Returns a hint where to sign in. This service has no sign-in page; the accounts' applications do. */
export function signInHint(accounts: readonly Pick<UsersAccount, 'name'>[]): PageText {
  if (accounts.length === 0) return 'You can now sign in with it.';
  const names = accounts.flatMap(({ name }, index) => [
    ...(index === 0 ? [] : [index === accounts.length - 1 ? ' or ' : ', ']),
    { strong: name },
  ]);
  return ['You can now sign in with the application of ', ...names, '.'];
}
