import { etagOf, type Notifications } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { inLocalTime } from '../model/dates.js';
import { stateOf } from '../model/pass.js';
import { bodyOf } from '../model/template.js';
import { Badge, Choice, Failure, Heading, LinkRow, Loading } from '../ui/parts.js';
import { useLoad } from '../ui/use-load.js';
import { PassMessages } from '../messages/pass-messages.js';
import { Delivery } from './delivery.js';
import { PassActions } from './pass-actions.js';
import { PassEditor } from './pass-editor.js';
import { PassPictures } from './pass-pictures.js';
import type { StoredPass } from './stored-pass.js';

type Part = 'change' | 'delivery' | 'messages' | 'mails';
const parts = [
  ['change', 'Change'],
  ['delivery', 'Delivery'],
  ['messages', 'Messages'],
  ['mails', 'E-mails'],
] as const;

/** One pass: its links, its look, its content, and what reached phones. */
export function PassScreen({ templateId, passId }: { templateId: string; passId: string }) {
  const { session, mayManage } = useWho();
  const [part, show] = useState<Part>('change');
  const [notifications, setNotifications] = useState<Notifications | null>(null);
  const { data, error, reload } = useLoad<StoredPass>(`${templateId}/${passId}`, async (signal) => {
    const [passWithLinks, template] = await Promise.all([
      session.api.getPass({ templateId, passId, signal }),
      session.api.getTemplate({ templateId, signal }),
    ]);
    return { passWithLinks, template, etag: etagOf(passWithLinks) };
  });
  const pass = data?.passWithLinks.pass;
  const { word, tone } = pass ? stateOf(pass, Date.now()) : { word: '', tone: 'good' as const };
  return (
    <>
      <Heading
        title={pass?.primaryValue ?? data?.template.title ?? 'Pass'}
        note={
          <>
            <a href={addressOf('passes', templateId)}>Passes</a> / <code>{passId}</code>{' '}
            {pass && <Badge tone={tone}>{word}</Badge>}
          </>
        }
      >
        {data && <PassActions stored={data} onDone={reload} />}
        {data && mayManage && (
          <a class="button" href={addressOf('holders', templateId, passId)}>
            Holder’s data
          </a>
        )}
      </Heading>
      <Failure error={error} onRetry={reload} />
      {!data && error === null && <Loading rows={8} />}
      {data && pass && (
        <div class="two">
          <div class="stack">
            <Links stored={data} />
            <Choice label="Part" options={parts} value={part} onChange={show} />
            {part === 'change' && notifications && <Shown notifications={notifications} />}
            {part === 'change' && (
              <PassEditor
                key={data.etag}
                stored={data}
                template={bodyOf(data.template)}
                onSaved={(sent) => {
                  setNotifications(sent);
                  reload();
                }}
              />
            )}
            {part === 'delivery' && <Delivery templateId={templateId} passId={passId} />}
            {part === 'messages' && <PassMessages templateId={templateId} passId={passId} />}
            {part === 'mails' && <Mails templateId={templateId} passId={passId} />}
          </div>
          <PassPictures key={data.etag} stored={data} />
        </div>
      )}
    </>
  );
}

/** The texts that phones show for a change. */
function Shown({ notifications: { walletA, walletB } }: { notifications: Notifications }) {
  const atGoogle = walletB.filter(({ shown }) => shown !== 'nowhere');
  const lines = [...new Set([...walletA, ...atGoogle].map(({ message }) => message))];
  return (
    <p class="notice good" role="status">
      {lines.length === 0 ? 'Saved. Phones update without a notification.' : `Saved. Phones show: ${lines.join(' · ')}`}
    </p>
  );
}

function Links({ stored: { passWithLinks } }: { stored: StoredPass }) {
  const { walletAUrl, walletBUrl, webUrl, pass } = passWithLinks;
  return (
    <section class="panel stack" aria-labelledby="links">
      <h2 id="links">Links</h2>
      <LinkRow label="Web view" url={webUrl} />
      <LinkRow label="Apple Wallet" url={walletAUrl} />
      <LinkRow label="Google Wallet" url={walletBUrl} />
      <p class="muted small">
        The web view works on every device; on a computer it shows a QR code that opens the pass on a phone. Issued{' '}
        {inLocalTime(pass.createdAt)}, changed {inLocalTime(pass.updatedAt)}
        {pass.redeemedAt && <>, redeemed {inLocalTime(pass.redeemedAt)}</>}.
      </p>
    </section>
  );
}

function Mails({ templateId, passId }: { templateId: string; passId: string }) {
  const { session } = useWho();
  const { data, error, reload } = useLoad('mails', (signal) =>
    session.api.listPassMails({ templateId, passId, limit: 50, signal }),
  );
  if (!data) return error === null ? <Loading /> : <Failure error={error} onRetry={reload} />;
  if (data.data.length === 0) return <p class="muted">The pass was not sent by e-mail yet.</p>;
  return (
    <ol class="timeline">
      {data.data.map((mail) => (
        <li key={mail.id}>
          <Badge tone={mail.status === 'sent' ? 'good' : mail.status === 'failed' ? 'ended' : 'waiting'}>
            {mail.status}
          </Badge>{' '}
          {mail.to} <span class="muted small">{inLocalTime(mail.sentAt ?? mail.createdAt)}</span>
          {mail.problem !== null && <p class="small">{mail.problem}</p>}
        </li>
      ))}
    </ol>
  );
}
