import type { MemberResponse, Passwright } from '@passwright/client';
import { useState } from 'preact/hooks';
import { addressOf } from '../model/screen-address.js';
import { localDay } from '../model/dates.js';
import { Badge } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { type MemberStep, stepButtons, StepDialog, stepsOf } from './member-steps.js';

const tones = {
  pending: 'waiting',
  active: 'good',
  suspended: 'waiting',
  expired: 'ended',
  cancelled: 'ended',
} as const;

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
  const [asked, ask] = useState<{ member: MemberResponse; step: MemberStep } | null>(null);
  return (
    <>
      <Table
        rows={members}
        keyOf={({ id }) => String(id)}
        columns={columns}
        actions={(member) =>
          stepsOf(member).map((step) => (
            <button
              key={step}
              type="button"
              aria-label={`${stepButtons[step]}: ${member.name}`}
              onClick={() => ask({ member, step })}
            >
              {stepButtons[step]}
            </button>
          ))
        }
      />
      {asked && (
        <StepDialog
          api={api}
          {...asked}
          onDone={() => {
            ask(null);
            onDone();
          }}
          onClose={() => ask(null)}
        />
      )}
    </>
  );
}
