import type { WebhookResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { List } from '../ui/list.js';
import { Badge, Empty, Heading, Once } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { WebhookForm } from './webhook-form.js';

const columns: readonly Column<WebhookResponse>[] = [
  {
    head: 'Webhook',
    cell: ({ id, name, url }) => (
      <>
        <a href={addressOf('webhooks', id)}>{name ?? url ?? id}</a>
        {name !== null && <span class="muted small"> {url ?? 'fetched'}</span>}
      </>
    ),
  },
  { head: 'Events', class: 'small', isLabelled: true, cell: ({ types }) => types?.join(', ') ?? 'all' },
  { head: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { head: 'Pending', isLabelled: true, cell: ({ pending }) => pending },
];

/** The webhooks of the account. A new webhook's secret is shown once. */
export function WebhooksScreen() {
  const { session, mayManage } = useWho();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  return (
    <>
      <Heading title="Webhooks" note="Other systems receive signed events, or fetch them.">
        {mayManage && (
          <button type="button" class="primary" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            New webhook
          </button>
        )}
      </Heading>
      {secret !== null && <Once title="The secret of the webhook" secret={secret} />}
      {isOpen && (
        <WebhookForm
          webhook={null}
          onDone={(created) => {
            setSecret(created);
            setOpen(false);
            setVersion(version + 1);
          }}
        />
      )}
      <List
        id="webhooks"
        version={version}
        read={(cursor, signal) => session.api.listWebhooks({ limit: 20, cursor, signal })}
        empty={
          <Empty title="No webhooks yet">Create one to be called when passes are issued, installed or redeemed.</Empty>
        }
      >
        {(webhooks) => <Table rows={webhooks} keyOf={({ id }) => id} columns={columns} />}
      </List>
    </>
  );
}

/** The state of a webhook in one word. */
export function WebhookState({ webhook: { enabled, failingSince, problem } }: { webhook: WebhookResponse }) {
  if (!enabled) return <Badge tone="ended">disabled</Badge>;
  return failingSince !== null || problem !== null ? (
    <Badge tone="waiting">failing</Badge>
  ) : (
    <Badge tone="good">working</Badge>
  );
}
