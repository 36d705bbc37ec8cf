import type { ResponseOf } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { inLocalTime } from '../model/dates.js';
import { Figure } from '../messages/progress.js';
import { Badge, Failure, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';

type Progress = ResponseOf<'getGoogleProgress'>;

const classStates = {
  none: ['plain', 'no link was requested yet'],
  current: ['good', 'Google has the current version'],
  waiting: ['waiting', 'a change has not been sent yet'],
  refused: ['ended', 'Google rejects it'],
} as const;

/** The state of a template and its passes at Google Wallet. */
export function GoogleProgress({ templateId }: { templateId: string }) {
  const { session } = useWho();
  const { data, error, isLoading, reload } = useLoad(`google ${templateId}`, (signal) =>
    session.api.getGoogleProgress({ templateId, signal }),
  );
  return (
    <section class="panel stack" aria-labelledby="google-progress">
      <div class="live-head">
        <h2 id="google-progress">Google Wallet</h2>
        <button type="button" disabled={isLoading} onClick={reload}>
          Refresh
        </button>
      </div>
      <Failure error={error} />
      {!data && error === null && <Loading rows={2} />}
      {data?.development && (
        <p>
          There is no issuer, so nothing is sent to Google: save links contain the pass itself, and passes in wallets do
          not update.
        </p>
      )}
      {data && !data.development && <Sent progress={data} />}
    </section>
  );
}

function Sent({ progress: { halt, class: sent, objects, doneBy } }: { progress: Progress }) {
  const [tone, words] = classStates[sent.state];
  return (
    <>
      {halt && (
        <p class="notice ended">
          Google rejects the service account since {inLocalTime(halt.since)}: {halt.reason}. The next attempt is at{' '}
          {inLocalTime(halt.retryAt)}.
        </p>
      )}
      <p>
        Template: <Badge tone={tone}>{sent.state}</Badge> <span class="muted">{words}</span>
      </p>
      <dl class="numbers">
        <Figure label="Passes with a link" value={objects.total} />
        <Figure label="In a wallet" value={objects.installed} />
        <Figure label="Waiting to be sent" value={objects.waiting} />
        <Figure label="Rejected" value={objects.refused} />
      </dl>
      {doneBy !== null && <p class="muted">All will be sent by {inLocalTime(doneBy)}.</p>}
      {[sent.problem, objects.problem].map((problem) => problem !== null && <p class="notice ended">{problem}</p>)}
    </>
  );
}
