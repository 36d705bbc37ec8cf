import type { WebhookDeliveryResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { inLocalTime } from '../model/dates.js';
import { List } from '../ui/list.js';
import { Badge, Choice, Failure } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { ReplayMany } from './replay-many.js';

type Status = 'all' | WebhookDeliveryResponse['status'];
const statuses = [
  ['all', 'All'],
  ['pending', 'Pending'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
] as const;

const tones = { pending: 'waiting', delivered: 'good', failed: 'ended' } as const;

/** The deliveries of a webhook, each with the result of its last attempt, and their replay. */
export function WebhookDeliveries(props: { webhookId: string; version: number; onDone: () => void }) {
  const { webhookId, version, onDone } = props;
  const { session, mayManage } = useWho();
  const [status, setStatus] = useState<Status>('all');
  const task = useTask();
  const replay = async (eventId: string) => {
    await session.api.replayWebhookDelivery({ webhookId, eventId });
    onDone();
  };
  return (
    <section aria-labelledby="deliveries" class="stack">
      <div class="live-head">
        <h2 id="deliveries">Deliveries</h2>
        <Choice label="Status" options={statuses} value={status} onChange={setStatus} />
        {mayManage && <ReplayMany webhookId={webhookId} onDone={onDone} />}
      </div>
      <Failure error={task.error} />
      <List
        id={JSON.stringify([webhookId, status])}
        version={version}
        read={(cursor, signal) =>
          session.api.listWebhookDeliveries({
            webhookId,
            cursor,
            signal,
            limit: 25,
            status: status === 'all' ? undefined : status,
          })
        }
        empty={<p class="muted">No deliveries yet.</p>}
      >
        {(deliveries) => (
          <ol class="timeline">
            {deliveries.map(({ eventId, type, timestamp, status: now, attempts, statusCode, problem }) => (
              <li key={eventId}>
                <Badge tone={tones[now]}>{now}</Badge> <strong>{type ?? 'event'}</strong>{' '}
                <span class="muted small">
                  {inLocalTime(timestamp)} · {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
                  {statusCode !== null && ` · status ${statusCode}`}
                </span>
                {problem !== null && <p class="small">{problem}</p>}
                {mayManage && now !== 'pending' && (
                  <button
                    type="button"
                    aria-label={`Replay ${eventId}`}
                    onClick={() => task.run(() => replay(eventId))}
                  >
                    Replay
                  </button>
                )}
              </li>
            ))}
          </ol>
        )}
      </List>
    </section>
  );
}
