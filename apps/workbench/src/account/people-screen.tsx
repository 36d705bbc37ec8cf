import type { AccountResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/page.js';
import { localDay } from '../model/dates.js';
import { Dialog } from '../ui/dialog.js';
import { problemsIn } from '../ui/errors.js';
import { CheckField, TextField } from '../ui/field.js';
import { Badge, Failure, Form, Heading, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
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
      {other.length > 0 && (
        <p class="notice ended" role="alert">
          {other.join(' ')}
        </p>
      )}
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          Send the invitation
        </button>
      </div>
    </Form>
  );
}

type Member = AccountResponse['members'][number];

function Members({ members, onDone }: { members: readonly Member[]; onDone: () => void }) {
  const { session, user, mayManage } = useWho();
  const [asked, ask] = useState<{ member: Member; step: 'role' | 'remove' } | null>(null);
  const task = useTask();
  const run = async ({ member: { uid, user: of }, step }: NonNullable<typeof asked>) => {
    if (step === 'role') await session.api.updateAccountMember({ uid, body: { isAdmin: !of.isAdmin } });
    else await session.api.removeAccountMember({ uid });
    ask(null);
    onDone();
  };
  return (
    <>
      <table class="list">
        <thead>
          <tr>
            <th>Name</th>
            <th>E-mail</th>
            <th>Role</th>
            <th>
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.uid}>
              <td>
                <strong>{member.user.name}</strong> {member.uid === user?.uid && <span class="muted">(you)</span>}
              </td>
              <td>{member.user.email}</td>
              <td>
                <Badge tone="plain">{member.user.isAdmin ? 'admin' : 'user'}</Badge>
              </td>
              <td class="row-actions">
                {mayManage && (
                  <button
                    type="button"
                    aria-label={`${member.user.isAdmin ? 'Make a user' : 'Make an admin'}: ${member.user.name}`}
                    onClick={() => ask({ member, step: 'role' })}
                  >
                    {member.user.isAdmin ? 'Make a user' : 'Make an admin'}
                  </button>
                )}
                {mayManage && (
                  <button
                    type="button"
                    aria-label={`Remove ${member.user.name}`}
                    onClick={() => ask({ member, step: 'remove' })}
                  >
                    Remove
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked && (
        <Question
          {...asked}
          task={task}
          onConfirm={() => task.run(() => run(asked))}
          onClose={() => {
            task.clear();
            ask(null);
          }}
        />
      )}
    </>
  );
}

interface QuestionProps {
  readonly member: Member;
  readonly step: 'role' | 'remove';
  readonly task: Task;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function Question({ member, step, ...rest }: QuestionProps) {
  const { name } = member.user;
  return step === 'role' ? (
    <Dialog title={`Change the role of ${name}?`} action="Change the role" {...rest}>
      <p>The new role holds from the next request on.</p>
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
  const withdraw = async (code: string) => {
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
              aria-label={`Withdraw the invitation of ${email}`}
              onClick={() => task.run(() => withdraw(ref))}
            >
              Withdraw
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
