import type { MemberResponse, Passwright } from '@passwright/client';
import { useState } from 'preact/hooks';
import { fromInput, localDay, toInput } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { Dialog } from '../ui/dialog.js';
import { problemsIn } from '../ui/errors.js';
import { TextField } from '../ui/field.js';
import { useTask } from '../ui/use-task.js';

/** A change of a member that a dialog makes. */
export type MemberStep = 'change' | 'activate' | 'renew' | 'suspend' | 'cancel';

export const stepButtons: Readonly<Record<MemberStep, string>> = {
  change: 'Change',
  activate: 'Activate',
  renew: 'Renew',
  suspend: 'Suspend',
  cancel: 'Cancel the membership',
};
const texts = {
  activate: 'The pass becomes valid on phones.',
  renew: 'The member is active, and the pass valid, until the new end. Reminders are sent again before it.',
  suspend: 'The pass becomes void on phones until you activate the member again.',
  cancel: 'The pass becomes void. This cannot be undone.',
};

/** Returns the steps that the status of a member allows. A membership without an end has nothing to renew. */
export function stepsOf({ status, expiry }: MemberResponse): readonly MemberStep[] {
  if (status === 'active') return ['change', ...(expiry ? ['renew' as const] : []), 'suspend', 'cancel'];
  if (status === 'pending' || status === 'suspended') return ['change', 'activate', 'cancel'];
  return status === 'expired' ? ['change', 'renew', 'cancel'] : ['change'];
}

interface DialogProps {
  readonly api: Passwright;
  readonly member: MemberResponse;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks the user to confirm a step, and then takes it. */
export function StepDialog({ step, ...props }: DialogProps & { step: MemberStep }) {
  return step === 'change' ? <Change {...props} /> : <Status step={step} {...props} />;
}

/** Changes the name and the e-mail of a member, and the end of a membership that has not ended. */
function Change({ api, member, onDone, onClose }: DialogProps) {
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email);
  const [expiry, setExpiry] = useState(toInput(member.expiry));
  const hasEnded = member.status === 'expired' || member.status === 'cancelled';
  const isNewEnd = expiry !== toInput(member.expiry);
  const task = useTask();
  const { at } = problemsIn(task.error, ['name', 'email', 'expiry']);
  const save = async () => {
    await api.updateMember({
      memberId: member.id,
      body: { name, email, ...(isNewEnd && { expiry: fromInput(expiry) }) },
    });
    announce('Saved.');
    onDone();
  };
  return (
    <Dialog
      title={`Change ${member.name}`}
      action="Save"
      task={at.size > 0 ? { ...task, error: null } : task}
      onConfirm={() => task.run(save)}
      onClose={onClose}
    >
      <TextField label="Name" hint="The pass shows it." value={name} onChange={setName} error={at.get('name')} />
      <TextField label="E-mail" type="email" value={email} onChange={setEmail} error={at.get('email')} />
      {!hasEnded && (
        <TextField
          label="Ends"
          type="datetime-local"
          hint="Empty: no end. A new end starts the reminders again."
          value={expiry}
          onChange={setExpiry}
          error={at.get('expiry')}
        />
      )}
    </Dialog>
  );
}

function Status({ api, member, step, onDone, onClose }: DialogProps & { step: Exclude<MemberStep, 'change'> }) {
  const [expiry, setExpiry] = useState('');
  const task = useTask();
  const memberId = member.id;
  const run = async () => {
    if (step === 'activate') await api.activateMember({ memberId });
    if (step === 'renew') await api.renewMember({ memberId, body: { expiry: expiry || null } });
    if (step === 'suspend') await api.suspendMember({ memberId });
    if (step === 'cancel') await api.cancelMember({ memberId });
    announce('Done.');
    onDone();
  };
  return (
    <Dialog
      title={`${stepButtons[step]}: ${member.name}?`}
      action={stepButtons[step]}
      isDangerous={step === 'suspend' || step === 'cancel'}
      task={task}
      onConfirm={() => task.run(run)}
      onClose={onClose}
    >
      <p>{texts[step]}</p>
      {step === 'renew' && (
        <TextField
          label="New end"
          type="datetime-local"
          hint={`Now: ${localDay(member.expiry)}. Empty: no end.`}
          value={toInput(expiry)}
          onChange={(value) => setExpiry(fromInput(value) ?? '')}
        />
      )}
    </Dialog>
  );
}
