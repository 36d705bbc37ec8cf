import type { ApiKeyResponse, Scope } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { fromInput, inLocalTime, localDay, toInput } from '../model/dates.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { problemsIn } from '../ui/errors.js';
import { CheckField, TextField } from '../ui/field.js';
import { List } from '../ui/list.js';
import { Choice, Empty, Form, Heading, Once, OtherProblems } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { useTask } from '../ui/use-task.js';
import { AdminsOnly } from './admins-only.js';

const allScopes: readonly Scope[] = [
  ...(['templates:read', 'templates:write', 'passes:read', 'passes:write'] as const),
  ...(['members:read', 'members:write', 'account:read', 'account:write'] as const),
];

/** The API keys of the account. A new key is shown once. */
export function KeysScreen() {
  const { session, mayManage } = useWho();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  const done = (key: string | null) => {
    setSecret(key);
    setOpen(false);
    setVersion(version + 1);
  };
  return (
    <>
      <Heading title="API keys" note="A key acts for the account, within its scopes, without a user.">
        {mayManage && (
          <button type="button" class="primary" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            New key
          </button>
        )}
      </Heading>
      {!mayManage && <AdminsOnly>Only admins of the account see and change API keys.</AdminsOnly>}
      {secret !== null && <Once title="The new key" secret={secret} />}
      {isOpen && <KeyForm onDone={done} />}
      {mayManage && (
        <List
          id="keys"
          version={version}
          read={(cursor, signal) => session.api.listApiKeys({ limit: 50, cursor, signal })}
          empty={<Empty title="No keys yet">Your backend needs one to call the API.</Empty>}
        >
          {(keys) => <KeyTable keys={keys} onDone={done} />}
        </List>
      )}
    </>
  );
}

type KeyUser = 'program' | 'agent';

const scopesFor: Readonly<Record<KeyUser, readonly Scope[]>> = {
  program: allScopes.filter((scope) => scope !== 'account:write'),
  agent: ['templates:read', 'templates:write', 'passes:read', 'passes:write'],
};

function KeyForm({ onDone }: { onDone: (key: string) => void }) {
  const { session } = useWho();
  const [name, setName] = useState('');
  const [expiresAt, setExpiry] = useState('');
  const [usedBy, setUser] = useState<KeyUser>('program');
  const [supervised, setSupervised] = useState(false);
  const [scopes, setScopes] = useState(scopesFor.program);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['name', 'scopes', 'expiresAt']);
  // An agent's key is supervised unless the user decides otherwise.
  const choose = (next: KeyUser) => {
    setUser(next);
    setSupervised(next === 'agent');
    setScopes(scopesFor[next]);
  };
  const create = async () => {
    const body = {
      name,
      scopes: [...scopes],
      ...(expiresAt !== '' && { expiresAt }),
      ...(supervised && { supervised }),
    };
    onDone((await session.api.createApiKey({ body })).key);
  };
  return (
    <Form class="panel stack" aria-label="New key" onSubmit={() => task.run(create)}>
      <TextField label="Name" hint="Where the key is used" value={name} onChange={setName} error={at.get('name')} />
      <fieldset>
        <legend>Used by</legend>
        <Choice
          label="Used by"
          options={[
            ['program', 'A program'],
            ['agent', 'An AI agent'],
          ]}
          value={usedBy}
          onChange={choose}
        />
      </fieldset>
      {usedBy === 'agent' && (
        <CheckField
          label="Supervised key"
          hint="It works only at /mcp, and a user confirms each change before the agent makes it. Without this, the agent can do everything that the scopes allow, even outside of /mcp."
          checked={supervised}
          onChange={setSupervised}
        />
      )}
      <fieldset>
        <legend>Scopes</legend>
        <div class="columns">
          {allScopes.map((scope) => (
            <CheckField
              key={scope}
              label={scope}
              checked={scopes.includes(scope)}
              onChange={(on) => setScopes(allScopes.filter((each) => (each === scope ? on : scopes.includes(each))))}
            />
          ))}
        </div>
        {at.get('scopes') && <p class="wrong">{at.get('scopes')}</p>}
      </fieldset>
      <TextField
        label="Expires"
        type="datetime-local"
        hint="Empty: never"
        value={toInput(expiresAt)}
        onChange={(value) => setExpiry(fromInput(value) ?? '')}
        error={at.get('expiresAt')}
      />
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          Create the key
        </button>
      </div>
    </Form>
  );
}

const columns: readonly Column<ApiKeyResponse>[] = [
  {
    head: 'Key',
    cell: ({ name, prefix, supervised }) => (
      <>
        <strong>{name}</strong> <code class="muted small">{prefix}…</code>
        {supervised && <span class="small"> Supervised key</span>}
      </>
    ),
  },
  { head: 'Scopes', class: 'small', isLabelled: true, cell: ({ scopes }) => scopes.join(', ') },
  {
    head: 'Last used',
    class: 'muted',
    isLabelled: true,
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : inLocalTime(lastUsedAt)),
  },
  {
    head: 'Expires',
    class: 'muted',
    isLabelled: true,
    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : localDay(expiresAt)),
  },
];

function KeyTable({ keys, onDone }: { keys: readonly ApiKeyResponse[]; onDone: (key: string | null) => void }) {
  const { session } = useWho();
  const { asked, task, ask, close } = useQuestion<{ key: ApiKeyResponse; step: 'rotate' | 'revoke' }>();
  const run = async ({ key: { id: keyId }, step }: NonNullable<typeof asked>) => {
    const key = step === 'rotate' ? (await session.api.rotateApiKey({ keyId })).key : null;
    if (step === 'revoke') await session.api.revokeApiKey({ keyId });
    ask(null);
    onDone(key);
  };
  return (
    <>
      <Table
        rows={keys}
        keyOf={({ id }) => id}
        columns={columns}
        actions={(key) => (
          <>
            <button type="button" aria-label={`Rotate ${key.name}`} onClick={() => ask({ key, step: 'rotate' })}>
              Rotate
            </button>
            <button type="button" aria-label={`Revoke ${key.name}`} onClick={() => ask({ key, step: 'revoke' })}>
              Revoke
            </button>
          </>
        )}
      />
      {asked && (
        <Dialog
          title={asked.step === 'rotate' ? `Rotate ${asked.key.name}?` : `Revoke ${asked.key.name}?`}
          action={asked.step === 'rotate' ? 'Rotate' : 'Revoke'}
          isDangerous
          task={task}
          onConfirm={() => task.run(() => run(asked))}
          onClose={close}
        >
          <p>
            {asked.step === 'rotate'
              ? 'The old secret stops working at once, and you see the new one once.'
              : 'The key and its open invitations stop working immediately, on every node. This cannot be undone.'}
          </p>
        </Dialog>
      )}
    </>
  );
}
