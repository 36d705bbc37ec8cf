import type { ResponseOf } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { inLocalTime } from '../model/dates.js';
import { Badge, Failure, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

type Trace = ResponseOf<'getPassDelivery'>;
type Device = Trace['devices'][number];

const verdicts: Record<Device['verdict'], readonly ['good' | 'waiting' | 'ended' | 'plain', string]> = {
  up_to_date: ['good', 'up to date'],
  waiting: ['waiting', 'waiting'],
  stale: ['ended', 'stale'],
  updates_off: ['plain', 'updates off'],
};

/** The events after the last change, for each device and at Google Wallet. */
export function Delivery({ templateId, passId }: { templateId: string; passId: string }) {
  const { session } = useWho();
  const { data, error, isLoading, reload } = useLoad('delivery', (signal) =>
    session.api.getPassDelivery({ templateId, passId, limit: 50, signal }),
  );
  if (!data) return error === null ? <Loading /> : <Failure error={error} onRetry={reload} />;
  const { version, push, walletB, devices, complaints } = data;
  return (
    <section class="panel stack" aria-label="Delivery">
      <p class="actions">
        <span>Current version: {inLocalTime(version)}</span>
        <button type="button" disabled={isLoading} onClick={reload}>
          Refresh
        </button>
      </p>
      {push.state !== 'on' && (
        <p class="notice waiting">
          Pushes are {push.state}: {push.reason}
        </p>
      )}
      <h2>Apple Wallet</h2>
      {devices.length === 0 && <p class="muted">No device has added the pass to Apple Wallet yet.</p>}
      {devices.map((device) => (
        <DeviceTrace key={device.deviceId} device={device} />
      ))}
      {complaints.map(({ at, line, meaning }) => (
        <p key={at + line} class="small">
          {inLocalTime(at)}: {meaning ?? line}
        </p>
      ))}
      <h2>Google Wallet</h2>
      <p>
        <Badge tone={walletB.state === 'current' ? 'good' : walletB.state === 'refused' ? 'ended' : 'plain'}>
          {walletB.state === 'none' ? 'no link requested yet' : walletB.state}
        </Badge>{' '}
        {walletB.sentAt !== null && <>sent {inLocalTime(walletB.sentAt)} · </>}
        saved {walletB.saves}×, removed {walletB.removals}×
      </p>
      {walletB.problem !== null && <p>{walletB.problem}</p>}
    </section>
  );
}

function DeviceTrace({ device }: { device: Device }) {
  const { deviceId, verdict, explanation, registeredAt, pushed, listed, fetched, complained, nextPush } = device;
  const [tone, word] = verdicts[verdict];
  const steps = [
    { at: registeredAt, text: 'registered for updates' },
    { at: pushed?.at, text: `pushed${pushed?.reason ? `: ${pushed.reason}` : ''}` },
    { at: listed?.at, text: 'asked for its changed passes' },
    { at: fetched?.at, text: `fetched the version of ${inLocalTime(fetched?.version)}` },
    ...complained.map(({ at, line, meaning }) => ({ at, text: meaning ?? line })),
    { at: nextPush, text: 'next push' },
  ].filter((step): step is { at: string; text: string } => typeof step.at === 'string');
  steps.sort((one, other) => one.at.localeCompare(other.at));
  return (
    <article class="device">
      <p>
        <Badge tone={tone}>{word}</Badge> <code class="small">{deviceId}</code>
      </p>
      <p>{explanation}</p>
      <ol class="timeline">
        {steps.map(({ at, text }) => (
          <li key={at + text}>
            <time dateTime={at}>{inLocalTime(at)}</time> {text}
          </li>
        ))}
      </ol>
    </article>
  );
}
