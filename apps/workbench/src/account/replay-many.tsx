import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { fromInput, toInput } from '../model/dates.js';
import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { SelectField, TextField } from '../ui/field.js';

type Status = 'failed' | 'delivered' | 'missed';
const statuses = [
  ['failed', 'Failed'],
  ['missed', 'Missed while the webhook was disabled, or before it existed'],
  ['delivered', 'Delivered'],
] as const;

const number = new Intl.NumberFormat();

/** Sends the events of a period again. */
export function ReplayMany({ webhookId, onDone }: { webhookId: string; onDone: () => void }) {
  const { session } = useWho();
  const { asked, task, ask, close } = useQuestion<true>();
  const [status, setStatus] = useState<Status>('failed');
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const [replayed, setReplayed] = useState<number | null>(null);
  const replay = async () => {
    const body = { status, since, ...(until !== '' && { until }) };
    const result = await session.api.replayWebhookDeliveries({ webhookId, body });
    setReplayed(result.replayed);
    announce(inWords(result.replayed));
    ask(null);
    onDone();
  };
  return (
    <>
      <button type="button" onClick={() => ask(true)}>
        Replay a period …
      </button>
      {replayed !== null && <span class="muted small">{inWords(replayed)}</span>}
      {asked && (
        <Dialog
          title="Replay a period"
          action="Replay"
          isReady={since !== ''}
          task={task}
          onConfirm={() => task.run(replay)}
          onClose={close}
        >
          <SelectField label="Events" value={status} options={statuses} onChange={setStatus} />
          <div class="columns">
            <TextField
              label="From"
              type="datetime-local"
              value={toInput(since)}
              onChange={(value) => setSince(fromInput(value) ?? '')}
            />
            <TextField
              label="Until"
              type="datetime-local"
              hint="Empty: now"
              value={toInput(until)}
              onChange={(value) => setUntil(fromInput(value) ?? '')}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

function inWords(replayed: number): string {
  return replayed === 1 ? '1 event is sent again.' : `${number.format(replayed)} events are sent again.`;
}
