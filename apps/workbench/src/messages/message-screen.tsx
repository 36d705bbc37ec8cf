import type { MessageRecipient, MessageResponse } from '@passwright/client';
import { useEffect } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { inLocalTime } from '../model/dates.js';
import { languageName } from '../model/languages.js';
import { messageTones, outcomeInWords, outcomeTone, stepsOf } from '../model/message.js';
import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { List } from '../ui/list.js';
import { Badge, Failure, Heading, Loading } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { Progress } from './progress.js';

/** The pause between two reads of a message that is being sent. */
const PAUSE_MS = 3000;

/** The time after the end of a message for which its page waits for the outcomes at Google. */
const OUTCOMES_MS = 10 * 60_000;

/** One message: its progress, what can be done with it, and the passes that have it. */
export function MessageScreen({ messageId }: { messageId: string }) {
  const { session } = useWho();
  const { data, error, reload, replace } = useLoad(messageId, (signal) =>
    session.api.getMessage({ messageId, signal }),
  );
  const isMoving = data !== null && isSoon(data);
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setTimeout(reload, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [data, isMoving]);
  return (
    <>
      <Heading
        title={data?.title ?? 'Message'}
        note={
          <>
            <a href={addressOf('messages')}>Messages</a> / <code>{messageId}</code>{' '}
            {data && <Badge tone={messageTones[data.status]}>{data.status}</Badge>}
          </>
        }
      >
        {data && <Steps message={data} onDone={replace} />}
        <button type="button" onClick={reload}>
          Refresh
        </button>
      </Heading>
      <Failure error={error} onRetry={reload} />
      {!data && error === null && <Loading />}
      {data && (
        <>
          <section class="panel stack" aria-label="Progress">
            <p class="quote">{data.text}</p>
            <Languages message={data} />
            <Progress progress={data.progress} words="Reached" />
          </section>
          <Facts message={data} />
          <Recipients message={data} />
        </>
      )}
    </>
  );
}

/** The message in other languages. */
function Languages({ message: { translations = {} } }: { message: MessageResponse }) {
  const tables = Object.entries(translations);
  if (tables.length === 0) return null;
  return (
    <dl class="facts">
      {tables.map(([tag, { title, text }]) => (
        <>
          <dt>{languageName(tag)}</dt>
          <dd lang={tag} dir="auto">
            {[title, text].filter(Boolean).join(': ')}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** Returns true if the progress of a message may change soon. */
function isSoon({ status, sendAt, finishedAt, progress }: MessageResponse): boolean {
  if (status === 'sending') return true;
  if (status === 'scheduled') return Date.parse(sendAt) < Date.now() + 60_000;
  const isNew = finishedAt !== null && Date.parse(finishedAt) > Date.now() - OUTCOMES_MS;
  return isNew && progress.walletBOutcomes.some(({ outcome }) => outcome === 'waiting');
}

function Facts({ message }: { message: MessageResponse }) {
  const { templateId, passId, topic, urgent, sendAt, finishedAt } = message;
  return (
    <dl class="facts panel">
      <dt>To</dt>
      <dd>
        {passId === null ? (
          <a href={addressOf('passes', templateId)}>{templateId}</a>
        ) : (
          <a href={addressOf('passes', templateId, passId)}>{`${templateId}/${passId}`}</a>
        )}
      </dd>
      <dt>Begins</dt>
      <dd>
        {inLocalTime(sendAt)}
        {urgent && ', in quiet hours too'}
      </dd>
      {finishedAt !== null && <dt>Ended</dt>}
      {finishedAt !== null && <dd>{inLocalTime(finishedAt)}</dd>}
      {topic !== null && <dt>Topic</dt>}
      {topic !== null && <dd>{topic}</dd>}
    </dl>
  );
}

type Step = 'pause' | 'resume' | 'cancel';
const steps: Record<Step, { button: string; title: string; text: string }> = {
  pause: { button: 'Pause', title: 'Pause the message?', text: 'It stops after at most 500 more passes.' },
  resume: { button: 'Resume', title: 'Resume the message?', text: 'No pass gets it twice.' },
  cancel: {
    button: 'Cancel the message',
    title: 'Cancel the message?',
    text: 'Passes that have it keep it. This cannot be undone.',
  },
};

function Steps({ message, onDone }: { message: MessageResponse; onDone: (message: MessageResponse) => void }) {
  const { session } = useWho();
  const { asked: step, task, ask, close } = useQuestion<Step>();
  const it = { messageId: message.id };
  const run = async (chosen: Step) => {
    const calls = {
      pause: () => session.api.pauseMessage(it),
      resume: () => session.api.resumeMessage(it),
      cancel: () => session.api.cancelMessage(it),
    };
    onDone(await calls[chosen]());
    announce('Done.');
    ask(null);
  };
  return (
    <>
      {stepsOf(message.status).map((name) => (
        <button key={name} type="button" onClick={() => ask(name)}>
          {steps[name].button}
        </button>
      ))}
      {step && (
        <Dialog
          title={steps[step].title}
          action={steps[step].button}
          isDangerous={step === 'cancel'}
          task={task}
          onConfirm={() => task.run(() => run(step))}
          onClose={close}
        >
          <p>{steps[step].text}</p>
        </Dialog>
      )}
    </>
  );
}

function Recipients({ message: { id: messageId, templateId, progress } }: { message: MessageResponse }) {
  const { session } = useWho();
  const columns: readonly Column<MessageRecipient>[] = [
    { head: 'Pass', cell: ({ passId }) => <a href={addressOf('passes', templateId, passId)}>{passId}</a> },
    {
      head: 'Wallet',
      isLabelled: true,
      cell: ({ walletA, walletB }) =>
        [walletA && 'Apple Wallet', walletB && 'Google Wallet'].filter(Boolean).join(', ') || 'web page',
    },
    {
      head: 'At Google',
      isLabelled: true,
      cell: ({ walletBOutcome: outcome }) =>
        outcome === null ? '–' : <Badge tone={outcomeTone(outcome)}>{outcomeInWords(outcome)}</Badge>,
    },
    { head: 'Sent', class: 'muted', isLabelled: true, cell: ({ sentAt }) => inLocalTime(sentAt) },
  ];
  return (
    <section class="stack" aria-labelledby="recipients">
      <h2 id="recipients">Passes with this message</h2>
      <List
        id={`recipients of ${messageId}`}
        version={JSON.stringify([progress.sent, progress.walletBOutcomes])}
        read={(cursor, signal) => session.api.listMessageRecipients({ messageId, limit: 25, cursor, signal })}
        empty={<p class="muted">None yet.</p>}
      >
        {(recipients) => <Table rows={recipients} keyOf={({ passId }) => passId} columns={columns} />}
      </List>
    </section>
  );
}
