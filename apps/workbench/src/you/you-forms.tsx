import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { useWho, type Who } from '../api/current-user.js';
import { announce } from '../ui/announcer.js';
import { problemsIn } from '../ui/errors.js';
import { TextField } from '../ui/field.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { type Task, useTask } from '../ui/use-task.js';
import { UserNameField } from './user-name-field.js';

interface OwnFormProps {
  readonly title: string;
  readonly button: string;
  readonly task: Task;
  readonly other: readonly string[];
  readonly onSubmit: () => Promise<void>;
  /** The sentence that reports a successful change; null until then. */
  readonly done: string | null;
  readonly children: ComponentChildren;
}

function OwnForm({ title, button, task, other, onSubmit, done, children }: OwnFormProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <Form class="stack" onSubmit={() => task.run(onSubmit)}>
        <h2 id={id}>{title}</h2>
        {children}
        <OtherProblems texts={other} />
        {done !== null && (
          <p class="notice good" role="status">
            {done}
          </p>
        )}
        <div class="actions">
          <button type="submit" disabled={task.isRunning}>
            {button}
          </button>
        </div>
      </Form>
    </section>
  );
}

/** Changes the name that other people in the accounts see. */
export function NameForm({ user }: { user: NonNullable<Who['user']> }) {
  const { session, reload } = useWho();
  const [name, setName] = useState(user.name);
  const [done, setDone] = useState<string | null>(null);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['name']);
  const save = async () => {
    setDone(null);
    await session.api.updateMe({ body: { name } });
    setDone('Saved.');
    reload();
  };
  return (
    <OwnForm title="Your name" button="Save the name" onSubmit={save} {...{ task, other, done }}>
      <TextField label="Name" autoComplete="name" value={name} onChange={setName} error={at.get('name')} />
    </OwnForm>
  );
}

/**
 * Requests a change of the e-mail address, which takes effect once the user opens the link in the mail to the new
 * address.
 */
export function EmailForm({ email }: { email: string }) {
  const { session } = useWho();
  const [address, setAddress] = useState('');
  const [password, setPassword] = useState('');
  const [done, setDone] = useState<string | null>(null);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['email', 'password']);
  const change = async () => {
    setDone(null);
    await session.api.changeEmail({ body: { email: address, password } });
    setPassword('');
    setDone(`Open the link in the mail to ${address} within a day. Until then your address stays ${email}.`);
  };
  return (
    <OwnForm title="E-mail address" button="Send the confirmation" onSubmit={change} {...{ task, other, done }}>
      <TextField
        label="New e-mail"
        type="email"
        autoComplete="email"
        hint={`Now: ${email}`}
        value={address}
        onChange={setAddress}
        error={at.get('email')}
      />
      <UserNameField />
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={at.get('password')}
      />
    </OwnForm>
  );
}

/** Changes the password, which ends all other sessions. */
export function PasswordForm({ onDone }: { onDone: () => void }) {
  const { session } = useWho();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const [done, setDone] = useState<string | null>(null);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['currentPassword', 'newPassword']);
  const change = async () => {
    setDone(null);
    await session.api.changePassword({ body: { currentPassword, newPassword } });
    setCurrent('');
    setNew('');
    setDone('The password is changed, and your other sessions have ended.');
    onDone();
  };
  return (
    <OwnForm title="Password" button="Change the password" onSubmit={change} {...{ task, other, done }}>
      <UserNameField />
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        hint={
          <>
            You have none, or forgot it? <a href={`${session.baseUrl}/password/forgot`}>Set one by e-mail</a>
          </>
        }
        value={currentPassword}
        onChange={setCurrent}
        error={at.get('currentPassword')}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="At least 8 characters. It ends your other sessions."
        value={newPassword}
        onChange={setNew}
        error={at.get('newPassword')}
      />
    </OwnForm>
  );
}

/** Creates another account with the user as its admin, and opens it. */
export function NewAccountForm() {
  const { session } = useWho();
  const [name, setName] = useState('');
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['name']);
  const create = async () => {
    await session.createAccount({ name });
    announce(`You now work in ${name}.`);
  };
  return (
    <OwnForm title="Another account" button="Create the account" onSubmit={create} done={null} {...{ task, other }}>
      <TextField
        label="Name of the account"
        hint="It has its own templates, passes, keys and people, and you are its admin."
        value={name}
        onChange={setName}
        error={at.get('name')}
      />
    </OwnForm>
  );
}
