import { type MemberResponse, Passwright } from '@passwright/client';
import { useMemo, useState } from 'preact/hooks';
import { useWho } from '../api/page.js';
import { addressOf } from '../model/address.js';
import { ImportPanel } from '../import/import-panel.js';
import { memberImport } from '../import/member-import.js';
import { SelectField, TextField } from '../ui/field.js';
import { List } from '../ui/list.js';
import { Empty, Form, Heading } from '../ui/parts.js';
import { useStore } from '../ui/use-store.js';
import { MemberForm } from './member-form.js';
import { MemberTable } from './member-table.js';
import { MembershipSettings } from './membership-settings.js';

type Panel = 'new' | 'import' | 'settings';
type Status = 'all' | MemberResponse['status'];
const statuses = [
  ['all', 'All'],
  ['pending', 'Pending'],
  ['active', 'Active'],
  ['suspended', 'Suspended'],
  ['expired', 'Expired'],
  ['cancelled', 'Cancelled'],
] as const;

/** The members of the account. The API shows them to API keys only. */
export function MembersScreen() {
  const { session, log } = useWho();
  const state = useStore(session.state);
  const [key, setKey] = useState<string | null>(null);
  const api = useMemo(
    () => (key === null ? session.api : new Passwright({ baseUrl: session.baseUrl, token: key, fetch: log.fetch })),
    [session, log, key],
  );
  return (
    <>
      <Heading title="Members" note="The service manages members’ passes, reminders and expiry." />
      {state.kind === 'user' && key === null ? <KeyNeeded onKey={setKey} /> : <MemberList api={api} />}
    </>
  );
}

function KeyNeeded({ onKey }: { onKey: (key: string) => void }) {
  const [key, setKey] = useState('');
  return (
    <Form
      class="panel stack narrow"
      aria-label="Key for the members"
      onSubmit={() => key.trim() !== '' && onKey(key.trim())}
    >
      <p>
        The API shows members to API keys only. Enter a key with <code>members:read</code>; it stays in memory until you
        leave this screen. <a href={addressOf('keys')}>API keys</a>
      </p>
      <TextField label="API key" type="password" autoComplete="off" value={key} onChange={setKey} />
      <div class="actions">
        <button type="submit" class="primary">
          Show the members
        </button>
      </div>
    </Form>
  );
}

function MemberList({ api }: { api: Passwright }) {
  const [q, setText] = useState('');
  const [status, setStatus] = useState<Status>('all');
  const [version, setVersion] = useState(0);
  const [open, setOpen] = useState<Panel | null>(null);
  const reload = () => setVersion((count) => count + 1);
  const again = () => {
    setOpen(null);
    reload();
  };
  return (
    <>
      <p class="actions">
        <button
          type="button"
          class="primary"
          aria-expanded={open === 'new'}
          onClick={() => setOpen(open === 'new' ? null : 'new')}
        >
          New member
        </button>
        <button
          type="button"
          aria-expanded={open === 'import'}
          onClick={() => setOpen(open === 'import' ? null : 'import')}
        >
          Import a file
        </button>
        <button
          type="button"
          aria-expanded={open === 'settings'}
          onClick={() => setOpen(open === 'settings' ? null : 'settings')}
        >
          Settings
        </button>
      </p>
      {open === 'new' && <MemberForm api={api} onDone={again} />}
      {open === 'import' && <ImportPanel id="members" newKind={() => memberImport(api)} onDone={reload} />}
      {open === 'settings' && <MembershipSettings api={api} onDone={again} />}
      <div class="filters">
        <TextField label="Search" type="search" placeholder="Name or e-mail" value={q} onChange={setText} />
        <SelectField label="Status" value={status} options={statuses} onChange={setStatus} />
      </div>
      <List
        id={JSON.stringify(['members', q, status])}
        version={version}
        read={(cursor, signal) =>
          api.listMembers({
            limit: 25,
            cursor,
            signal,
            q: q || undefined,
            status: status === 'all' ? undefined : status,
          })
        }
        empty={
          <Empty title="No members here">Create the first one. The settings name the template of their passes.</Empty>
        }
      >
        {(members) => <MemberTable api={api} members={members} onDone={again} />}
      </List>
    </>
  );
}
