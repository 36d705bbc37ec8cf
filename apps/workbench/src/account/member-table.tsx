import type { MemberResponse, Passwright } from '@passwright/client';
import { addressOf } from '../model/address.js';
import { localDay } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { Badge } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';

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

const columns: readonly Column<MemberResponse>[] = [
  {
    head: 'Member',
    cell: ({ id, name, templateId, passId }) => (
      <>
        <a href={addressOf('passes', templateId, passId)}>{name}</a> <span class="muted small">#{id}</span>
      </>
    ),
  },
  { head: 'E-mail', cell: ({ email }) => email },
  { head: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { head: 'Ends', class: 'muted', isLabelled: true, cell: ({ expiry }) => localDay(expiry) },
];

/** The members of a list, each with the steps that its status allows. */
export function MemberTable(props: { api: Passwright; members: readonly MemberResponse[]; onDone: () => void }) {
  const { api, members, onDone } = props;
  const { asked, task, ask, close } = useQuestion<{ member: MemberResponse; step: Step }>();
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
      <Table
        rows={members}
        keyOf={({ id }) => String(id)}
        columns={columns}
        actions={(member) =>
          stepsOf(member.status).map((step) => (
            <button
              key={step}
              type="button"
              aria-label={`${steps[step].button}: ${member.name}`}
              onClick={() => ask({ member, step })}
            >
              {steps[step].button}
            </button>
          ))
        }
      />
      {asked && (
        <Dialog
          title={`${steps[asked.step].button}: ${asked.member.name}?`}
          action={steps[asked.step].button}
          isDangerous={asked.step !== 'activate'}
          task={task}
          onConfirm={() => task.run(() => run(asked))}
          onClose={close}
        >
          <p>{steps[asked.step].text}</p>
        </Dialog>
      )}
    </>
  );
}
