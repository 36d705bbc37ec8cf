import { useEffect, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { List } from '../ui/list.js';
import { Badge, Choice, Empty, Failure, Heading } from '../ui/parts.js';
import { EventEntry } from './event-entry.js';
import { useLiveEvents } from './use-live-events.js';

type Mode = 'live' | 'stored';
const modes = [
  ['live', 'Live'],
  ['stored', 'Stored'],
] as const;

/** The events of a webhook with their content: as they happen, or those of the last 30 days. */
export function EventsScreen({ webhookId }: { webhookId: string }) {
  const [mode, setMode] = useState<Mode>('live');
  return (
    <>
      <Heading
        title="Events"
        note={
          <>
            <a href={addressOf('webhooks')}>Webhooks</a> / <a href={addressOf('webhooks', webhookId)}>{webhookId}</a>
          </>
        }
      >
        <Choice label="Events" options={modes} value={mode} onChange={setMode} />
      </Heading>
      {mode === 'live' ? <Live webhookId={webhookId} /> : <Stored webhookId={webhookId} />}
    </>
  );
}

function Live({ webhookId }: { webhookId: string }) {
  const { events, state, error, start, stop } = useLiveEvents(webhookId);
  useEffect(start, [webhookId]);
  return (
    <>
      <div class="actions">
        <Badge tone={state === 'watching' ? 'good' : 'plain'}>{state}</Badge>
        <button type="button" onClick={state === 'stopped' ? start : stop}>
          {state === 'stopped' ? 'Continue' : 'Stop'}
        </button>
      </div>
      <Failure error={error} />
      {events.length === 0 ? (
        <Empty title={state === 'stopped' ? 'No events' : 'Waiting for events'}>
          Issue, change or redeem a pass: its event appears here at once.
        </Empty>
      ) : (
        <ul class="event-list events" aria-live="polite" aria-relevant="additions">
          {events.map((event) => (
            <EventEntry key={event.id} event={event} />
          ))}
        </ul>
      )}
    </>
  );
}

function Stored({ webhookId }: { webhookId: string }) {
  const { session } = useWho();
  return (
    <>
      <p class="muted">Oldest first, each once. Events are kept for 30 days.</p>
      <List
        id={`events ${webhookId}`}
        read={(cursor, signal) => session.api.listWebhookEvents({ webhookId, limit: 50, cursor, signal })}
        empty={<Empty title="No events yet">The webhook has no events from the last 30 days.</Empty>}
      >
        {(events) => (
          <ul class="event-list events">
            {events.map((event) => (
              <EventEntry key={event.id} event={event} />
            ))}
          </ul>
        )}
      </List>
    </>
  );
}
