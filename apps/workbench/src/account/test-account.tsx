import type { AccountResponse } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { Failure } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';

/** The maximum length of an account's name. */
const MOST = 200;
const SUFFIX = ' (test)';

/** Offers a test account beside a live one, or says what differs in a test account. */
export function TestAccount({ account: { name, test } }: { account: AccountResponse }) {
  return (
    <section class="panel stack" aria-labelledby="test-account">
      <h2 id="test-account">Test account</h2>
      {test ? (
        <p>
          Nothing here reaches holders or wallet platforms. Passes have development credentials, mails go only to users
          of this account, and nothing counts for a plan.
        </p>
      ) : (
        <Offer name={name} />
      )}
    </section>
  );
}

function Offer({ name }: { name: string }) {
  const { session } = useWho();
  const task = useTask();
  const create = () => session.createAccount({ name: name.slice(0, MOST - SUFFIX.length) + SUFFIX, test: true });
  return (
    <>
      <p>
        Try out changes beside this account. In a test account, passes have development credentials, mails go only to
        its own users, and nothing counts for a plan.
      </p>
      <Failure error={task.error} />
      <div class="actions">
        <button type="button" disabled={task.isRunning} onClick={() => task.run(create)}>
          {task.isRunning ? 'Creating …' : 'Create a test account'}
        </button>
      </div>
    </>
  );
}
