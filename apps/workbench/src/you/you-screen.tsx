import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { Empty, Heading } from '../ui/parts.js';
import { EmailForm, NameForm, NewAccountForm, PasswordForm } from './you-forms.js';
import { Sessions } from './sessions.js';

/** The user who is signed in: their name, e-mail, password, accounts and sessions. */
export function YouScreen() {
  const { user } = useWho();
  const [version, setVersion] = useState(0);
  if (!user) {
    return (
      <>
        <Heading title="Your user" />
        <Empty title="No user is signed in">
          You use an API key, which acts for its account. <a href={addressOf('keys')}>API keys</a>
        </Empty>
      </>
    );
  }
  return (
    <>
      <Heading title="Your user" note="The same in all your accounts." />
      <div class="two">
        <div class="stack">
          <NameForm user={user} />
          <EmailForm email={user.email} />
        </div>
        <div class="stack">
          <PasswordForm onDone={() => setVersion(version + 1)} />
          <NewAccountForm />
        </div>
      </div>
      <Sessions version={version} />
    </>
  );
}
