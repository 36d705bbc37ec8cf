import type { SessionResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { inLocalTime } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { List } from '../ui/list.js';
import { Badge, Failure } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { useTask } from '../ui/use-task.js';
import { browserOf } from './browser-of.js';

const columns: readonly Column<SessionResponse>[] = [
  {
    head: 'Program',
    cell: ({ userAgent, accountName, current }) => (
      <>
        <strong>{browserOf(userAgent)}</strong> <span class="muted small">{accountName}</span>{' '}
        {current && <Badge tone="good">this session</Badge>}
      </>
    ),
  },
  { head: 'Address', isLabelled: true, cell: ({ ip }) => (ip === null ? '—' : <code>{ip}</code>) },
  { head: 'Opened', class: 'muted small', isLabelled: true, cell: ({ createdAt }) => inLocalTime(createdAt) },
  { head: 'Last used', class: 'muted small', isLabelled: true, cell: ({ lastUsedAt }) => inLocalTime(lastUsedAt) },
];

/** The user's sessions in all accounts. @param version a new number reloads them */
export function Sessions({ version }: { version: number }) {
  const { session } = useWho();
  const [ended, setEnded] = useState(0);
  const task = useTask();
  const end = (sessionId: string | null) =>
    task.run(async () => {
      if (sessionId === null) await session.api.revokeOtherSessions();
      else await session.api.revokeSession({ sessionId });
      announce(sessionId === null ? 'All other sessions have ended.' : 'The session has ended.');
      setEnded(ended + 1);
    });
  return (
    <section aria-labelledby="sessions" class="stack">
      <div class="live-head">
        <h2 id="sessions">Sessions</h2>
        <button type="button" disabled={task.isRunning} onClick={() => end(null)}>
          End all others
        </button>
      </div>
      <Failure error={task.error} />
      <List
        id="sessions"
        version={version + ended}
        read={(cursor, signal) => session.api.listSessions({ limit: 25, cursor, signal })}
        empty={null}
      >
        {(sessions) => (
          <Table
            rows={sessions}
            keyOf={({ id }) => id}
            columns={columns}
            actions={({ id, userAgent, ip, current }) =>
              !current && (
                <button
                  type="button"
                  aria-label={`End the session of ${browserOf(userAgent)} from ${ip ?? 'an unknown address'}`}
                  disabled={task.isRunning}
                  onClick={() => end(id)}
                >
                  End
                </button>
              )
            }
          />
        )}
      </List>
    </section>
  );
}
