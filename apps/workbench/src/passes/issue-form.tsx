import type { PassRequest, ResponseOf } from '@passwright/client';
import { useMemo, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { samplesOf } from '../api/request-samples.js';
import { addressOf } from '../model/screen-address.js';
import { emptyInput, requestOf } from '../model/pass.js';
import { bodyOf } from '../model/template.js';
import { announce } from '../ui/announcer.js';
import { CopyAs } from '../ui/copy.js';
import { problemsIn } from '../ui/errors.js';
import { LivePreview } from '../ui/live-preview.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { go } from '../ui/route.js';
import { useTask } from '../ui/use-task.js';
import { PassFields, passProperties } from './pass-fields.js';

/** Previews a pass in every wallet and issues it. */
export function IssueForm({ template }: { template: ResponseOf<'getTemplate'> }) {
  const { session } = useWho();
  const [input, setInput] = useState(emptyInput);
  const task = useTask();
  const templateId = template.id;
  const content = useMemo(() => bodyOf(template), [template]);
  const request = requestOf(content, input);
  const drafts = useMemo(() => ({ pass: request }), [JSON.stringify(request)]);
  const { at, other } = problemsIn(task.error, passProperties);
  const issue = async () => {
    const body = request as unknown as PassRequest;
    const { pass } = await session.api.createPass({ templateId, body });
    announce('Issued.');
    go(addressOf('passes', templateId, pass.id));
  };
  const url = `${session.baseUrl}/v1/pass/${encodeURIComponent(templateId)}`;
  const headers = { Authorization: 'Bearer', 'Content-Type': 'application/json' };
  return (
    <section class="panel two" aria-label="Issue a pass">
      <Form class="stack" onSubmit={() => task.run(issue)}>
        <PassFields template={content} input={input} problems={at} isIssued={false} onChange={setInput} />
        <OtherProblems texts={other} />
        <div class="actions">
          <button type="submit" class="primary" disabled={task.isRunning}>
            {task.isRunning ? 'Issuing …' : 'Issue the pass'}
          </button>
          <CopyAs samples={samplesOf({ method: 'POST', url, headers, body: request })} />
        </div>
      </Form>
      <LivePreview templateId={templateId} drafts={drafts} />
    </section>
  );
}
