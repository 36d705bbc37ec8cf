import { useWho } from '../api/current-user.js';

/** The user's e-mail in a form with a password, so that password managers know whose password it is. */
export function UserNameField() {
  const { user } = useWho();
  return <input hidden readOnly type="text" name="username" autoComplete="username" value={user?.email} />;
}
