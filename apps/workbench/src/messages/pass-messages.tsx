import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { inLocalTime } from '../model/dates.js';
import { emptyMessage, type MessageInput, passMessageOf, reasonInWords } from '../model/message.js';
import { problemsIn } from '../ui/errors.js';
import { List } from '../ui/list.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { MessageFields, messageProperties } from './message-fields.js';

/** The messages of a pass, and the form that sends one to its holder. */
export function PassMessages({ templateId, passId }: { templateId: string; passId: string }) {
  const { session } = useWho();
  const [input, setInput] = useState<MessageInput>(emptyMessage);
  const [said, say] = useState<string | null>(null);
  const [version, setVersion] = useState(0);
  const task = useTask();
  const { at, other } = problemsIn(task.error, messageProperties);
  const send = async () => {
    const message = await session.api.createPassMessage({ templateId, passId, body: passMessageOf(input) });
    const [skipped] = message.progress.skipped;
    setInput(emptyMessage);
    setVersion((count) => count + 1);
    if (skipped) say(`Not sent: the pass is ${reasonInWords(skipped.reason)}.`);
    else say(message.progress.sent > 0 ? 'Sent.' : `Scheduled: sending begins ${inLocalTime(message.sendAt)}.`);
  };
  return (
    <section class="panel stack" aria-label="Messages">
      <Form class="stack" aria-label="Message to the holder" onSubmit={() => task.run(send)}>
        <MessageFields input={input} problems={at} onChange={setInput} />
        <OtherProblems texts={other} />
        {said !== null && (
          <p class="notice good" role="status">
            {said}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={task.isRunning}>
            {task.isRunning ? 'Sending …' : 'Send the message'}
          </button>
        </div>
      </Form>
      <List
        id={`messages of ${templateId}/${passId}`}
        version={version}
        read={(cursor, signal) => session.api.listPassMessages({ templateId, passId, limit: 25, cursor, signal })}
        empty={<p class="muted">The pass has no messages yet.</p>}
      >
        {(messages) => (
          <ol class="timeline">
            {messages.map(({ id, title, text, sentAt }) => (
              <li key={id}>
                <time dateTime={sentAt}>{inLocalTime(sentAt)}</time> {title !== null && <strong>{title}</strong>}
                <p>{text}</p>
              </li>
            ))}
          </ol>
        )}
      </List>
    </section>
  );
}
