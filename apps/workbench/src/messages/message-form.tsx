import type { MessageForecast, ResponseOf } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { samplesOf } from '../api/request-samples.js';
import { addressOf } from '../model/screen-address.js';
import { inLocalTime } from '../model/dates.js';
import { emptyMessage, type MessageInput, templateMessageOf } from '../model/message.js';
import { bodyOf } from '../model/template.js';
import { announce } from '../ui/announcer.js';
import { CopyAs } from '../ui/copy.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { problemsIn } from '../ui/errors.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { go } from '../ui/route.js';
import { useTask } from '../ui/use-task.js';
import { FilterFields } from './filter-fields.js';
import { MessageFields, messageProperties } from './message-fields.js';
import { Progress } from './progress.js';

/** A message to many passes. The user reads its forecast before the form sends it. */
export function MessageForm({ template }: { template: ResponseOf<'getTemplate'> }) {
  const { session } = useWho();
  const [input, setInput] = useState<MessageInput>(emptyMessage);
  const { asked: forecast, task: sending, ask, close } = useQuestion<MessageForecast>();
  const counting = useTask();
  const templateId = template.id;
  const body = templateMessageOf(input);
  const { at, other } = problemsIn(counting.error, messageProperties);
  const count = async () => ask(await session.api.dryRunTemplateMessage({ templateId, body }));
  const send = async () => {
    const { id } = await session.api.createTemplateMessage({ templateId, body });
    announce('The message is scheduled.');
    go(addressOf('messages', id));
  };
  const url = `${session.baseUrl}/v1/templates/${encodeURIComponent(templateId)}/messages`;
  const headers = { Authorization: 'Bearer', 'Content-Type': 'application/json' };
  return (
    <Form class="panel stack" aria-label="New message" onSubmit={() => counting.run(count)}>
      <MessageFields input={input} problems={at} onChange={setInput} />
      <FilterFields template={bodyOf(template)} input={input} problem={at.get('filter')} onChange={setInput} />
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={counting.isRunning}>
          {counting.isRunning ? 'Counting …' : 'Count and send …'}
        </button>
        <CopyAs samples={samplesOf({ method: 'POST', url, headers, body })} />
      </div>
      {forecast && (
        <Dialog
          title={forecast.sent === 0 ? 'The message reaches no pass' : 'Send the message?'}
          action="Send"
          task={sending}
          onConfirm={() => sending.run(send)}
          onClose={close}
        >
          <Progress progress={forecast} words="Would reach" />
          <p>Sending begins {inLocalTime(forecast.sendAt)}. You can pause or cancel it until it is sent.</p>
        </Dialog>
      )}
    </Form>
  );
}
