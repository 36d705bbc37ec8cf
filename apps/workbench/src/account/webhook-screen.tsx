import type { WebhookResponse, WebhookTestResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { inLocalTime } from '../model/dates.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { Failure, Heading, Loading, Once } from '../ui/parts.js';
import { go } from '../ui/route.js';
import { useLoad } from '../ui/use-load.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookForm } from './webhook-form.js';
import { WebhookState } from './webhooks-screen.js';

type Step = 'rotate' | 'delete';

/** One webhook, and its deliveries with the result of the last attempt. */
export function WebhookScreen({ webhookId }: { webhookId: string }) {
  const { session, mayManage } = useWho();
  const [version, setVersion] = useState(0);
  const { data, error, reload } = useLoad(webhookId, (signal) => session.api.getWebhook({ webhookId, signal }));
  const again = () => {
    reload();
    setVersion((count) => count + 1);
  };
  return (
    <>
      <Heading
        title={data?.name ?? data?.url ?? 'Webhook'}
        note={
          <>
            <a href={addressOf('webhooks')}>Webhooks</a> / <code>{webhookId}</code>{' '}
            {data && <WebhookState webhook={data} />}
          </>
        }
      >
        <a class="button" href={addressOf('webhooks', webhookId, 'events')}>
          Events
        </a>
        <button type="button" onClick={again}>
          Refresh
        </button>
      </Heading>
      <Failure error={error} onRetry={reload} />
      {!data && error === null && <Loading />}
      {data && mayManage && <Steps webhook={data} onDone={again} />}
      {data && <Facts webhook={data} />}
      {data && <WebhookDeliveries webhookId={webhookId} version={version} onDone={again} />}
    </>
  );
}

function Facts({ webhook: { url, types, failingSince, problem, disabledBecause } }: { webhook: WebhookResponse }) {
  return (
    <dl class="facts panel">
      <dt>Address</dt>
      <dd>{url ?? 'none: the events are fetched'}</dd>
      <dt>Events</dt>
      <dd>{types?.join(', ') ?? 'all'}</dd>
      {failingSince !== null && <dt>Failing since</dt>}
      {failingSince !== null && <dd>{inLocalTime(failingSince)}</dd>}
      {(problem ?? disabledBecause) !== null && <dt>Problem</dt>}
      {(problem ?? disabledBecause) !== null && <dd>{problem ?? disabledBecause}</dd>}
    </dl>
  );
}

function Steps({ webhook, onDone }: { webhook: WebhookResponse; onDone: () => void }) {
  const { session } = useWho();
  const { asked: step, task, ask, close } = useQuestion<Step>();
  const [secret, setSecret] = useState<string | null>(null);
  const [result, setResult] = useState<WebhookTestResponse | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { id: webhookId, enabled } = webhook;
  const test = async () => setResult(await session.api.testWebhook({ webhookId }));
  const toggle = async () => {
    await session.api.updateWebhook({ webhookId, body: { enabled: !enabled } });
    onDone();
  };
  const run = async (chosen: Step) => {
    if (chosen === 'rotate') setSecret((await session.api.rotateWebhookSecret({ webhookId, body: {} })).secret);
    else await session.api.deleteWebhook({ webhookId });
    ask(null);
    if (chosen === 'delete') go(addressOf('webhooks'));
  };
  return (
    <>
      <div class="actions">
        {webhook.url !== null && (
          <button type="button" disabled={task.isRunning} onClick={() => task.run(test)}>
            Send a test event
          </button>
        )}
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Change
        </button>
        <button type="button" disabled={task.isRunning} onClick={() => task.run(toggle)}>
          {enabled ? 'Disable' : 'Enable'}
        </button>
        <button type="button" onClick={() => ask('rotate')}>
          Rotate the secret
        </button>
        <button type="button" onClick={() => ask('delete')}>
          Delete
        </button>
      </div>
      {isOpen && (
        <WebhookForm
          webhook={webhook}
          onDone={() => {
            setOpen(false);
            onDone();
          }}
        />
      )}
      {step === null && <Failure error={task.error} />}
      {secret !== null && <Once title="The new secret" secret={secret} />}
      {result && (
        <p class={`notice ${result.delivered ? 'good' : 'ended'}`} role="status">
          {result.delivered ? 'Delivered' : 'Not delivered'}: {result.problem ?? `status ${result.statusCode}`} (
          {result.durationMs} ms)
        </p>
      )}
      {step && (
        <Dialog
          title={step === 'rotate' ? 'Rotate the secret?' : 'Delete the webhook?'}
          action={step === 'rotate' ? 'Rotate' : 'Delete'}
          isDangerous
          task={task}
          onConfirm={() => task.run(() => run(step))}
          onClose={close}
        >
          <p>
            {step === 'rotate'
              ? 'For 24 hours deliveries carry the signatures of both secrets.'
              : 'Its pending deliveries stop. This cannot be undone.'}
          </p>
        </Dialog>
      )}
    </>
  );
}
