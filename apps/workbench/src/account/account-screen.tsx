import type { AccountResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { announce } from '../ui/announcer.js';
import { saveFile } from '../ui/download.js';
import { problemsIn } from '../ui/errors.js';
import { TextField } from '../ui/field.js';
import { Failure, Form, Heading, Loading, OtherProblems } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { useTask } from '../ui/use-task.js';
import { AccountDeletion } from './account-deletion.js';
import { TestAccount } from './test-account.js';

/** The name of the account, the export of all its data, and its deletion. */
export function AccountScreen() {
  const { session, user, mayManage } = useWho();
  const { data, error, reload } = useLoad('account', (signal) => session.api.getAccount({ signal }));
  return (
    <>
      <Heading title="Account" note={data ? <code>{data.id}</code> : undefined} />
      <Failure error={error} onRetry={reload} />
      {!data && error === null && <Loading />}
      {data && !mayManage && <Facts account={data} />}
      {data && !mayManage && user && <TestAccount account={data} />}
      {data && mayManage && (
        <div class="two">
          <Details account={data} onDone={reload} />
          <div class="stack">
            {(user ?? data.test) && <TestAccount account={data} />}
            <Export name={data.name} />
            {user && <AccountDeletion account={data} onDone={reload} />}
          </div>
        </div>
      )}
    </>
  );
}

function Facts({ account: { name, industry } }: { account: AccountResponse }) {
  return (
    <dl class="facts panel">
      <dt>Name</dt>
      <dd>{name}</dd>
      <dt>Industry</dt>
      <dd>{industry ?? '—'}</dd>
    </dl>
  );
}

function Details({ account, onDone }: { account: AccountResponse; onDone: () => void }) {
  const { session, reload } = useWho();
  const [name, setName] = useState(account.name);
  const [industry, setIndustry] = useState(account.industry ?? '');
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['name', 'industry']);
  const save = async () => {
    await session.api.updateAccount({ body: { name, industry: industry === '' ? null : industry } });
    announce('Saved.');
    onDone();
    reload();
  };
  const isChanged = name !== account.name || industry !== (account.industry ?? '');
  return (
    <Form class="panel stack" aria-label="Account" onSubmit={() => task.run(save)}>
      <TextField
        label="Name"
        hint="People see it in invitations and mails."
        value={name}
        onChange={setName}
        error={at.get('name')}
      />
      <TextField
        label="Industry"
        hint="May be empty."
        value={industry}
        onChange={setIndustry}
        error={at.get('industry')}
      />
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning || !isChanged}>
          Save
        </button>
      </div>
    </Form>
  );
}

/** The time that the browser waits for an export. */
const EXPORT_MS = 10 * 60_000;

function Export({ name }: { name: string }) {
  const { session } = useWho();
  const task = useTask();
  const save = async () => {
    const all = await session.api.exportAccount({ timeoutMs: EXPORT_MS });
    saveFile(new File([JSON.stringify(all)], `${name}.json`, { type: 'application/json' }));
    announce('Exported.');
  };
  return (
    <section class="panel stack" aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p>One JSON file with all stored data, without secrets. Images are listed by address.</p>
      <p class="muted small">
        The browser holds the file in memory. For a large account, copy the request as curl under “Requests” below.
      </p>
      <Failure error={task.error} />
      <div class="actions">
        <button type="button" disabled={task.isRunning} onClick={() => task.run(save)}>
          {task.isRunning ? 'Exporting …' : 'Export all data'}
        </button>
      </div>
    </section>
  );
}
