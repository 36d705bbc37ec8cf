import type { WebhookEventType, WebhookResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { eventTypes } from '../model/event-types.js';
import { problemsIn } from '../ui/errors.js';
import { CheckField, TextField } from '../ui/field.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';

interface FormProps {
  /** Null for a new webhook. */
  readonly webhook: WebhookResponse | null;
  /** Called after a save, with the secret of a new webhook, or null. */
  readonly onDone: (secret: string | null) => void;
}

/** Creates a webhook, or changes its name, address and events. */
export function WebhookForm({ webhook, onDone }: FormProps) {
  const { session } = useWho();
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [types, setTypes] = useState<readonly WebhookEventType[]>(webhook?.types ?? []);
  const task = useTask();
  const { at, other } = problemsIn(task.error, ['name', 'url', 'types']);
  const save = async () => {
    const body = { name: name || null, url: url || null, types: types.length > 0 ? [...types] : null };
    if (webhook) await session.api.updateWebhook({ webhookId: webhook.id, body });
    onDone(webhook ? null : (await session.api.createWebhook({ body })).secret);
  };
  return (
    <Form
      class="panel stack"
      aria-label={webhook ? 'Change the webhook' : 'New webhook'}
      onSubmit={() => task.run(save)}
    >
      <TextField label="Name" value={name} onChange={setName} error={at.get('name')} />
      <TextField
        label="Address"
        type="url"
        placeholder="https://…"
        hint="Leave it empty to fetch the events yourself."
        value={url}
        onChange={setUrl}
        error={at.get('url')}
      />
      <details>
        <summary>Events: {types.length === 0 ? 'all' : types.length}</summary>
        <div class="columns">
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={type}
              checked={types.includes(type)}
              onChange={(on) => setTypes(eventTypes.filter((each) => (each === type ? on : types.includes(each))))}
            />
          ))}
        </div>
      </details>
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={task.isRunning}>
          {webhook ? 'Save the webhook' : 'Create the webhook'}
        </button>
      </div>
    </Form>
  );
}
