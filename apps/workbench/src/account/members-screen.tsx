import { type MemberResponse, Passwright, type ResponseOf, type Scope } from '@passwright/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { ImportPanel } from '../import/import-panel.js';
import { memberImport } from '../import/member-import.js';
import { SelectField, TextField } from '../ui/field.js';
import { List } from '../ui/list.js';
import { Empty, Failure, Form, Heading } from '../ui/parts.js';
import { useStore } from '../ui/use-store.js';
import { useTask } from '../ui/use-task.js';
import { MemberForm } from './member-form.js';
import { MemberTable } from './member-table.js';
import { MembershipSettings } from './membership-settings.js';

/** The lifetime of the key that the screen creates for one visit. It limits the key if the page cannot revoke it. */
const VISIT_MS = 3_600_000;

/** A key that the screen has made for itself. */
type OwnKey = ResponseOf<'createApiKey'>;
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
  const [ownKeyId, setOwnKeyId] = useState<string | null>(null);
  const api = useMemo(
    () => (key === null ? session.api : new Passwright({ baseUrl: session.baseUrl, token: key, fetch: log.fetch })),
    [session, log, key],
  );
  useEffect(() => {
    if (ownKeyId === null) return undefined;
    return () => void session.api.revokeApiKey({ keyId: ownKeyId }).catch(() => undefined);
  }, [session, ownKeyId]);
  const takeOwnKey = (made: OwnKey) => {
    setOwnKeyId(made.id);
    setKey(made.key);
  };
  return (
    <>
      <Heading title="Members" note="The service manages members’ passes, reminders and expiry." />
      {state.kind === 'user' && key === null ? (
        <KeyNeeded onKey={setKey} onOwnKey={takeOwnKey} />
      ) : (
        <MemberList api={api} />
      )}
    </>
  );
}

interface KeyNeededProps {
  readonly onKey: (key: string) => void;
  readonly onOwnKey: (made: OwnKey) => void;
}

function KeyNeeded({ onKey, onOwnKey }: KeyNeededProps) {
  const { session, mayManage } = useWho();
  const [key, setKey] = useState('');
  const task = useTask();
  const open = async () => {
    const expiresAt = new Date(Date.now() + VISIT_MS).toISOString();
    const scopes: Scope[] = ['members:read', 'members:write'];
    onOwnKey(await session.api.createApiKey({ body: { name: 'Workbench: members', scopes, expiresAt } }));
  };
  return (
    <Form
      class="panel stack narrow"
      aria-label="Key for the members"
      onSubmit={() => key.trim() !== '' && onKey(key.trim())}
    >
      <p>
        The API shows members to <a href={addressOf('keys')}>API keys</a> only.
      </p>
      {mayManage && (
        <>
          <div class="actions">
            <button type="button" class="primary" disabled={task.isRunning} onClick={() => task.run(open)}>
              Open with a key for this visit
            </button>
          </div>
          <p class="muted small">
            The workbench makes a key and revokes it when you leave the screen. The key expires after an hour in any
            case.
          </p>
          <Failure error={task.error} />
        </>
      )}
      <p>
        {mayManage ? 'Or enter' : 'Enter'} a key with <code>members:read</code>. It stays in memory until you leave this
        screen.
      </p>
      <TextField label="API key" type="password" autoComplete="off" value={key} onChange={setKey} />
      <div class="actions">
        <button type="submit" class={mayManage ? undefined : 'primary'}>
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
