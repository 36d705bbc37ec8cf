import type { RequestLog } from './api/request-log.js';
import { CopyAs } from './ui/copy.js';
import { useStore } from './ui/use-store.js';

/** The requests that the page has sent, each to copy as a command or as code. */
export function Requests({ log }: { log: RequestLog }) {
  const entries = useStore(log.entries);
  const [latest] = entries;
  return (
    <details class="requests">
      <summary>
        <span>Requests</span>
        {latest && (
          <span class="latest">
            <code>
              {latest.method} {latest.path}
            </code>
            <Status status={latest.status} />
          </span>
        )}
      </summary>
      <ul>
        {entries.map(({ id, method, path, status, milliseconds, samples }) => (
          <li key={id}>
            <code class="method">{method}</code>
            <code class="path">{path}</code>
            <span class="result">
              <Status status={status} />
              <span class="muted small">{milliseconds === null ? '' : `${milliseconds} ms`}</span>
            </span>
            <CopyAs samples={samples} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Status({ status }: { status: number | 'cancelled' | null }) {
  const tone = typeof status !== 'number' ? 'plain' : status > 0 && status < 400 ? 'good' : 'ended';
  return <span class={`badge ${tone}`}>{status === null ? '…' : status === 0 ? 'no response' : status}</span>;
}
