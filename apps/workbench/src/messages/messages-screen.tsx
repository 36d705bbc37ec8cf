import type { MessageResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { inLocalTime } from '../model/dates.js';
import { type MessageStatus, messageTones } from '../model/message.js';
import { SelectField } from '../ui/field.js';
import { List } from '../ui/list.js';
import { Badge, Empty, Failure, Heading, Loading } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { MessageForm } from './message-form.js';
import { QuietHours } from './quiet-hours.js';

type Status = 'all' | MessageStatus;
const statuses = [
  ['all', 'All'],
  ['scheduled', 'Scheduled'],
  ['sending', 'Sending'],
  ['paused', 'Paused'],
  ['sent', 'Sent'],
  ['cancelled', 'Cancelled'],
  ['superseded', 'Superseded'],
] as const;

const number = new Intl.NumberFormat();
const columns: readonly Column<MessageResponse>[] = [
  { head: 'Message', cell: ({ id, title, text }) => <a href={addressOf('messages', id)}>{title ?? text}</a> },
  {
    head: 'To',
    isLabelled: true,
    cell: ({ templateId, passId }) => <code>{passId === null ? templateId : `${templateId}/${passId}`}</code>,
  },
  { head: 'Status', cell: ({ status }) => <Badge tone={messageTones[status]}>{status}</Badge> },
  {
    head: 'Sent',
    isLabelled: true,
    cell: ({ progress: { sent } }) => (sent === 1 ? '1 pass' : `${number.format(sent)} passes`),
  },
  { head: 'Begins', class: 'muted', isLabelled: true, cell: ({ sendAt }) => inLocalTime(sendAt) },
];

type Panel = 'message' | 'quiet';

/** The messages of the account with their progress, the form of a new one, and the quiet hours. */
export function MessagesScreen({ templateId }: { templateId: string | null }) {
  const { session, mayManage } = useWho();
  const [panel, open] = useState<Panel | null>(templateId === null ? null : 'message');
  const [status, setStatus] = useState<Status>('all');
  const toggle = (name: Panel) => open(panel === name ? null : name);
  return (
    <>
      <Heading title="Messages" note="Holders see a message on their pass, and phones may notify them.">
        {mayManage && (
          <button type="button" aria-expanded={panel === 'quiet'} onClick={() => toggle('quiet')}>
            Quiet hours
          </button>
        )}
        <button type="button" class="primary" aria-expanded={panel === 'message'} onClick={() => toggle('message')}>
          New message
        </button>
      </Heading>
      {panel === 'quiet' && <QuietHours onDone={() => open(null)} />}
      {panel === 'message' && <NewMessage templateId={templateId} />}
      <div class="filters">
        <SelectField label="Status" value={status} options={statuses} onChange={setStatus} />
      </div>
      <List
        id={JSON.stringify(['messages', status])}
        read={(cursor, signal) =>
          session.api.listMessages({ limit: 25, cursor, signal, status: status === 'all' ? undefined : status })
        }
        empty={<Empty title="No messages here">Send one to all holders of a template, or to one from its pass.</Empty>}
      >
        {(messages) => <Table rows={messages} keyOf={({ id }) => id} columns={columns} />}
      </List>
    </>
  );
}

function NewMessage({ templateId }: { templateId: string | null }) {
  const { session } = useWho();
  const [chosen, choose] = useState(templateId);
  const { data, error, reload } = useLoad('templates', (signal) => session.api.listTemplates({ limit: 100, signal }));
  if (!data) return error === null ? <Loading rows={6} /> : <Failure error={error} onRetry={reload} />;
  const template = data.data.find(({ id }) => id === chosen) ?? data.data[0];
  if (!template) return <Empty title="No templates yet">A message goes to the passes of a template.</Empty>;
  return (
    <>
      <SelectField
        label="To the passes of"
        value={template.id}
        options={data.data.map(({ id, title }) => [id, `${title} (${id})`] as const)}
        onChange={choose}
      />
      <MessageForm key={template.id} template={template} />
    </>
  );
}
