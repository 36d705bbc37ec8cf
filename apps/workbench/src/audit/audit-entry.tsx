import type { AuditEventResponse } from '@passwright/client';
import { type AuditFilter, actionInWords, actorInWords, targetAddress } from '../model/audit.js';
import { changesBetween } from '../model/changes.js';
import { inLocalTime, localTime } from '../model/dates.js';
import { ChangeList } from '../ui/change-list.js';
import { Copy } from '../ui/copy.js';

interface EntryProps {
  readonly event: AuditEventResponse;
  readonly onFilter: (change: Partial<AuditFilter>) => void;
}

/** An event in one line, with its details on request. The browser closes the details of other events. */
export function AuditEntry({ event, onFilter }: EntryProps) {
  const { at, actor, action, target, before, after } = event;
  const changes = changesBetween(before ?? {}, after ?? {});
  return (
    <li>
      <details name="audit-event">
        <summary>
          <time class="muted" dateTime={at}>
            {localTime(at)}
          </time>
          <span>
            <strong>{actionInWords(action)}</strong> {target.id !== null && <code>{target.id}</code>}
          </span>
          <span class="muted">{actorInWords(actor)}</span>
        </summary>
        <div class="stack">
          <Facts event={event} onFilter={onFilter} />
          {changes.length > 0 && <ChangeList changes={changes} />}
        </div>
      </details>
    </li>
  );
}

function Facts({ event, onFilter }: EntryProps) {
  const { at, actor, action, target, ip, requestId } = event;
  const actorId = actor.kind === 'system' ? 'system' : actor.id;
  const address = targetAddress(target);
  const targetText = target.id === null ? target.kind : `${target.kind}:${target.id}`;
  return (
    <dl class="facts">
      <dt>Who</dt>
      <dd>
        {actorInWords(actor)} {actor.id !== null && <code class="muted">{actor.id}</code>}{' '}
        {actorId !== null && <Only of={`by ${actorInWords(actor)}`} onClick={() => onFilter({ actor: actorId })} />}
      </dd>
      <dt>Action</dt>
      <dd>
        <code>{action}</code> <Only of={action} onClick={() => onFilter({ action })} />
      </dd>
      <dt>Target</dt>
      <dd>
        {address === null ? <code>{targetText}</code> : <a href={address}>{targetText}</a>}{' '}
        <Only of={targetText} onClick={() => onFilter({ target: targetText })} />
      </dd>
      <dt>When</dt>
      <dd>{inLocalTime(at)}</dd>
      {ip !== null && <dt>From</dt>}
      {ip !== null && (
        <dd>
          <code>{ip}</code>
        </dd>
      )}
      {requestId !== null && <dt>Request</dt>}
      {requestId !== null && (
        <dd class="actions">
          <code>{requestId}</code> <Copy text={requestId} name="Copy the request id" />
        </dd>
      )}
    </dl>
  );
}

/** A button that shows only events like this one. */
function Only({ of, onClick }: { of: string; onClick: () => void }) {
  return (
    <button type="button" class="link small" aria-label={`Only these: ${of}`} onClick={onClick}>
      Only these
    </button>
  );
}
