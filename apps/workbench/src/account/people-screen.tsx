import type { AccountResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { localDay } from '../model/dates.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { problemsIn } from '../ui/errors.js';
import { CheckField, TextField } from '../ui/field.js';
import { Badge, Failure, Form, Heading, Loading, OtherProblems } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { Table } from '../ui/table.js';
import { type Task, useTask } from '../ui/use-task.js';

/** The users of the account and the open invitations. */
export function PeopleScreen() {
  const { session, mayManage } = useWho();
  const [isInviting, setInviting] = useState(false);
  const { data, error, reload } = useLoad('account', (signal) => session.api.getAccount({ signal }));
  return (
    <>
      <Heading
        title="People"
        note="Admins manage people, keys and settings. Everybody works with templates and passes."
      >
        {mayManage && (
          <button type="button" class="primary" aria-expanded={isInviting} onClick={() => setInviting(!isInviting)}>
            Invite
          </button>
        )}
      </Heading>
      {isInviting && (
        <InviteForm
          onDone={() => {
            setInviting(false);
            reload();
          }}
        />
      )}
      <Failure error={error} onRetry={reload} />
      {!data && error === null && <Loading />}
      {data && <Members members={data.members} onDone={reload} />}
      {data && data.invites.length > 0 && <Invites invites={data.invites} onDone={reload} />}
    </>
  );
}

function InviteForm({ onDone }: { onDone: () => void }) {
  const { session } = useWho();
  const [email, setEmail] = useState('');
  const [isAdmin, setAdmin] = useState(false);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['email', 'isAdmin']);
  const invite = async () => {
    await session.api.inviteUser({ body: { email, isAdmin } });
    onDone();
  };
  return (
    <Form class="panel stack" aria-label="Invite" onSubmit={() => task.run(invite)}>
      <TextField label="E-mail" type="email" value={email} onChange={setEmail} error={at.get('email')} />
      <CheckField label="Admin" checked={isAdmin} onChange={setAdmin} />
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          Send the invitation
        </button>
      </div>
    </Form>
  );
}

type Member = AccountResponse['members'][number];
type Step = 'role' | 'remove';

function roleOf({ user: { isAdmin } }: Member): 'admin' | 'user' {
  return isAdmin ? 'admin' : 'user';
}

function MemberSteps({ member, onAsk }: { member: Member; onAsk: (step: Step) => void }) {
  const { name, isAdmin } = member.user;
  const other = isAdmin ? 'user' : 'admin';
  return (
    <>
      <button type="button" aria-label={`Make ${other}: change the role of ${name}`} onClick={() => onAsk('role')}>
        Make {other}
      </button>
      <button type="button" aria-label={`Remove ${name}`} onClick={() => onAsk('remove')}>
        Remove
      </button>
    </>
  );
}

function Members({ members, onDone }: { members: readonly Member[]; onDone: () => void }) {
  const { session, user, mayManage } = useWho();
  const { asked, task, ask, close } = useQuestion<{ member: Member; step: Step }>();
  const run = async ({ member: { uid, user: of }, step }: NonNullable<typeof asked>) => {
    if (step === 'role') await session.api.updateAccountMember({ uid, body: { isAdmin: !of.isAdmin } });
    else await session.api.removeAccountMember({ uid });
    ask(null);
    onDone();
  };
  return (
    <>
      <Table
        rows={members}
        keyOf={({ uid }) => uid}
        columns={[
          {
            head: 'Name',
            cell: (member) => (
              <>
                <strong>{member.user.name}</strong> {member.uid === user?.uid && <span class="muted">(you)</span>}
              </>
            ),
          },
          { head: 'E-mail', cell: (member) => member.user.email },
          { head: 'Role', cell: (member) => <Badge tone="plain">{roleOf(member)}</Badge> },
        ]}
        actions={(member) => mayManage && <MemberSteps member={member} onAsk={(step) => ask({ member, step })} />}
      />
      {asked && <Question {...asked} task={task} onConfirm={() => task.run(() => run(asked))} onClose={close} />}
    </>
  );
}

interface QuestionProps {
  readonly member: Member;
  readonly step: Step;
  readonly task: Task;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function Question({ member, step, ...rest }: QuestionProps) {
  const { name } = member.user;
  return step === 'role' ? (
    <Dialog title={`Change the role of ${name}?`} action="Change the role" {...rest}>
      <p>The new role applies from the next request on.</p>
    </Dialog>
  ) : (
    <Dialog title={`Remove ${name}?`} action="Remove" isDangerous {...rest}>
      <p>Their sessions in this account end at once. Revoke the API keys that they know.</p>
    </Dialog>
  );
}

function Invites({ invites, onDone }: { invites: AccountResponse['invites']; onDone: () => void }) {
  const { session } = useWho();
  const task = useTask();
  const revoke = async (code: string) => {
    await session.api.revokeInvite({ code });
    onDone();
  };
  return (
    <section aria-labelledby="invites">
      <h2 id="invites">Open invitations</h2>
      <Failure error={task.error} />
      <ul class="rows">
        {invites.map(({ ref, email, isAdmin, expiry }) => (
          <li key={ref} class="panel actions">
            <span>
              {email} {isAdmin && <Badge tone="plain">admin</Badge>}
            </span>
            <span class="muted small">until {localDay(expiry)}</span>
            <button
              type="button"
              aria-label={`Revoke the invitation of ${email}`}
              onClick={() => task.run(() => revoke(ref))}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
