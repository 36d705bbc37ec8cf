import { useState } from 'preact/hooks';
import type { Notifications, PassPatch } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { changesBetween } from '../model/changes.js';
import { inputOf, patchOf } from '../model/pass.js';
import type { Body } from '../model/template.js';
import { announce } from '../ui/announcer.js';
import { ChangeList } from '../ui/change-list.js';
import { problemsIn } from '../ui/errors.js';
import { Form, OtherProblems } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { PassFields, passProperties } from './pass-fields.js';
import type { StoredPass } from './stored-pass.js';

/** Edits a pass and lists the changes before saving. */
export function PassEditor(props: {
  stored: StoredPass;
  template: Body;
  onSaved: (notifications: Notifications) => void;
}) {
  const { stored, template, onSaved } = props;
  const { session } = useWho();
  const { pass } = stored.passWithLinks;
  const before = inputOf(pass as unknown as Body);
  const [input, setInput] = useState(before);
  const task = useTask();
  const patch = patchOf(pass as unknown as Body, template, before, input);
  const { at, other } = problemsIn(task.error, passProperties);
  const isChanged = Object.keys(patch).length > 0;
  const save = async () => {
    const { templateId, id: passId } = pass;
    const body = patch as PassPatch;
    const { notifications } = await session.api.updatePass({ templateId, passId, body, ifMatch: stored.etag });
    announce('Saved.');
    onSaved(notifications);
  };
  return (
    <Form class="panel stack" aria-label="Change the pass" onSubmit={() => task.run(save)}>
      <PassFields template={template} input={input} problems={at} isIssued onChange={setInput} />
      {isChanged && (
        <ChangeList
          changes={changesBetween(
            Object.fromEntries(Object.keys(patch).map((name) => [name, (pass as unknown as Body)[name]])),
            patch,
          )}
        />
      )}
      <OtherProblems texts={other} />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isChanged || task.isRunning}>
          {task.isRunning ? 'Saving …' : 'Save the changes'}
        </button>
        <button type="button" disabled={!isChanged} onClick={() => setInput(before)}>
          Reset
        </button>
      </div>
    </Form>
  );
}
