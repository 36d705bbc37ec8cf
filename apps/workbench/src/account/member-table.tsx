import type { MemberResponse, Passwright } from '@passwright/client';
import { useState } from 'preact/hooks';
import { addressOf } from '../model/address.js';
import { localDay } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { Dialog } from '../ui/dialog.js';
import { Badge } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';

const tones = {
  pending: 'waiting',
  active: 'good',
  suspended: 'waiting',
  expired: 'ended',
  cancelled: 'ended',
} as const;

type Step = 'activate' | 'suspend' | 'cancel';
const steps: Record<Step, { button: string; text: string }> = {
  activate: { button: 'Activate', text: 'The pass becomes valid on phones.' },
  suspend: { button: 'Suspend', text: 'The pass becomes void on phones until you activate the member again.' },
  cancel: { button: 'Cancel the membership', text: 'The pass becomes void. This cannot be undone.' },
};

/** Returns the steps that the status of a member allows. */
function stepsOf(status: MemberResponse['status']): readonly Step[] {
  if (status === 'active') return ['suspend', 'cancel'];
  if (status === 'pending' || status === 'suspended') return ['activate', 'cancel'];
  return status === 'expired' ? ['cancel'] : [];
}

/** The members of a list, each with the steps that its status allows. */
export function MemberTable(props: { api: Passwright; members: readonly MemberResponse[]; onDone: () => void }) {
  const { api, members, onDone } = props;
  const [asked, ask] = useState<{ member: MemberResponse; step: Step } | null>(null);
  const task = useTask();
  const run = async ({ member: { id: memberId }, step }: NonNullable<typeof asked>) => {
    if (step === 'activate') await api.activateMember({ memberId });
    if (step === 'suspend') await api.suspendMember({ memberId });
    if (step === 'cancel') await api.cancelMember({ memberId });
    announce('Done.');
    ask(null);
    onDone();
  };
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th>Member</th>
            <th>E-mail</th>
            <th>Status</th>
            <th>Ends</th>
            <th>
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <MemberRow key={member.id} member={member} onAsk={(step) => ask({ member, step })} />
          ))}
        </tbody>
      </table>
      {asked && (
        <Dialog
          title={`${steps[asked.step].button}: ${asked.member.name}?`}
          action={steps[asked.step].button}
          isDangerous={asked.step !== 'activate'}
          task={task}
          onConfirm={() => task.run(() => run(asked))}
          onClose={() => {
            task.clear();
            ask(null);
          }}
        >
          <p>{steps[asked.step].text}</p>
        </Dialog>
      )}
    </>
  );
}

function MemberRow({ member, onAsk }: { member: MemberResponse; onAsk: (step: Step) => void }) {
  const { id, name, email, status, expiry, templateId, passId } = member;
  return (
    <tr>
      <td>
        <a href={addressOf('passes', templateId, passId)}>{name}</a> <span class="muted small">#{id}</span>
      </td>
      <td>{email}</td>
      <td>
        <Badge tone={tones[status]}>{status}</Badge>
      </td>
      <td class="muted" data-label="Ends">
        {localDay(expiry)}
      </td>
      <td class="row-actions">
        {stepsOf(status).map((step) => (
          <button key={step} type="button" aria-label={`${steps[step].button}: ${name}`} onClick={() => onAsk(step)}>
            {steps[step].button}
          </button>
        ))}
      </td>
    </tr>
  );
}
