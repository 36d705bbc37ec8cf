import type { AccountResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { inLocalTime } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Failure } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { UserNameField } from '../you/user-name-field.js';

interface DeletionProps {
  readonly account: AccountResponse;
  readonly onDone: () => void;
}

/** Deletes the account after a delay, or cancels its deletion. */
export function AccountDeletion({ account, onDone }: DeletionProps) {
  return (
    <section class="panel stack" aria-labelledby="deletion">
      <h2 id="deletion">Deletion</h2>
      {account.deletion ? <Planned account={account} onDone={onDone} /> : <Offer account={account} onDone={onDone} />}
    </section>
  );
}

function Planned({ account: { deletion }, onDone }: DeletionProps) {
  const { session } = useWho();
  const task = useTask();
  const keep = async () => {
    await session.api.keepAccount();
    announce('The deletion is cancelled.');
    onDone();
  };
  return (
    <>
      <p class="notice ended" role="status">
        The account will be deleted on {inLocalTime(deletion?.deletesAt)}. Until then API keys and changes are rejected.
      </p>
      <Failure error={task.error} />
      <div class="actions">
        <button type="button" class="primary" disabled={task.isRunning} onClick={() => task.run(keep)}>
          Cancel the deletion
        </button>
      </div>
    </>
  );
}

function Offer({ account: { name }, onDone }: DeletionProps) {
  const { session } = useWho();
  const { asked, task, ask, close } = useQuestion<true>();
  const [password, setPassword] = useState('');
  const remove = async () => {
    await session.api.deleteAccount({ body: password === '' ? {} : { password } });
    ask(null);
    setPassword('');
    announce('The account will be deleted.');
    onDone();
  };
  return (
    <>
      <p>
        Passes on phones become empty and void, and all data is erased. The deletion begins days later. Until then, any
        admin can cancel it.
      </p>
      <div class="actions">
        <button type="button" onClick={() => ask(true)}>
          Delete the account …
        </button>
      </div>
      {asked && (
        <Dialog
          title={`Delete ${name}?`}
          action="Delete the account"
          isDangerous
          task={task}
          onConfirm={() => task.run(remove)}
          onClose={close}
        >
          <p>API keys and changes are rejected from now on. All admins get an e-mail with the time of the deletion.</p>
          <UserNameField />
          <TextField
            label="Your password"
            type="password"
            autoComplete="current-password"
            hint="Empty if you sign in with an identity provider and have no password."
            value={password}
            onChange={setPassword}
          />
        </Dialog>
      )}
    </>
  );
}
