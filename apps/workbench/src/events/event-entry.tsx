import { inLocalTime } from '../model/dates.js';
import { type StoredEvent, subjectOf } from '../model/event.js';
import { Copy } from '../ui/copy.js';

/** An event in one line, with its content on request. */
export function EventEntry({ event }: { event: StoredEvent }) {
  const { id, type, timestamp, data } = event;
  const subject = subjectOf(data);
  const json = JSON.stringify({ id, type, timestamp, data }, null, 2);
  return (
    <li>
      <details>
        <summary>
          <time class="muted" dateTime={timestamp}>
            {inLocalTime(timestamp)}
          </time>
          <strong>{type}</strong>
          <code>{subject?.name}</code>
        </summary>
        <div class="stack">
          <pre tabIndex={0} role="region" aria-label={`Content of ${type}`}>
            {json}
          </pre>
          <div class="actions">
            <Copy text={json} name="Copy the event" />
            {subject?.address && <a href={subject.address}>Open {subject.name}</a>}
          </div>
        </div>
      </details>
    </li>
  );
}
