import type { Passwright } from '@passwright/client';
import { useState } from 'preact/hooks';
import { fromInput, toInput } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { problemsIn } from '../ui/errors.js';
import { CheckField, TextField } from '../ui/field.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';

/** Creates a member with a pass. */
export function MemberForm({ api, onDone }: { api: Passwright; onDone: () => void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [expiry, setExpiry] = useState('');
  const [isActive, setActive] = useState(true);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['name', 'email', 'expiry', 'status']);
  const create = async () => {
    const status = isActive ? ('active' as const) : ('pending' as const);
    await api.createMember({ body: { name, email, status, ...(expiry !== '' && { expiry }) } });
    announce('Created.');
    onDone();
  };
  return (
    <Form class="panel stack" aria-label="New member" onSubmit={() => task.run(create)}>
      <div class="columns">
        <TextField label="Name" value={name} onChange={setName} error={at.get('name')} />
        <TextField label="E-mail" type="email" value={email} onChange={setEmail} error={at.get('email')} />
        <TextField
          label="Ends"
          type="datetime-local"
          hint="Empty: no end"
          value={toInput(expiry)}
          onChange={(value) => setExpiry(fromInput(value) ?? '')}
          error={at.get('expiry')}
        />
      </div>
      <CheckField label="Active at once" checked={isActive} onChange={setActive} />
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          Create the member
        </button>
      </div>
    </Form>
  );
}
