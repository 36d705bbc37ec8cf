import type { UsersAccount } from '../users/user-credentials.repository.js';
import type { PageText } from './form-page.js';

/** Where to go on: this service has no place of its own to sign in, the accounts' applications have. */
export function signInHint(accounts: readonly Pick<UsersAccount, 'name'>[]): PageText {
  if (accounts.length === 0) return 'You can now sign in with it.';
  const names = accounts.flatMap(({ name }, index) => [
    ...(index === 0 ? [] : [index === accounts.length - 1 ? ' or ' : ', ']),
    { strong: name },
  ]);
  return ['You can now sign in with the application of ', ...names, '.'];
}
