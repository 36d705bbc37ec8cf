import { useEffect, useRef, useState } from 'preact/hooks';
import { useWho } from '../api/page.js';
import { addressOf } from '../model/address.js';
import { changesBetween } from '../model/changes.js';
import { ChangeList } from '../ui/change-list.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Failure, Form } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { changeAll, type Found, type Outcome, passesWith } from './text-replacement.js';

/**
 * Replaces a text on all passes of a template, for example to correct a typo. Counts the passes before it changes any
 * of them.
 */
export function ReplaceForm({ templateId, isInTemplate, onDone }: ReplaceProps) {
  const { session } = useWho();
  const [find, setFind] = useState('');
  const [by, setBy] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [progress, setProgress] = useState<string | null>(null);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const counting = useTask();
  const changing = useTask();
  const count = async () => {
    setOutcome(null);
    setFound(await passesWith({ session, templateId, find, by }, setProgress, ending.current.signal));
    setProgress(null);
  };
  const change = async (ids: readonly string[]) => {
    const result = await changeAll({ session, templateId, find, by }, ids, setProgress, ending.current.signal);
    setProgress(null);
    setFound(null);
    setOutcome(result);
    onDone();
  };
  return (
    <section class="panel stack" aria-label="Replace a text">
      <h2>Replace a text on all passes</h2>
      <p class="muted">
        In primary values, and in the labels, values and change messages of the passes’ own fields. Texts of the
        template are changed in the template.
      </p>
      <Form class="stack" onSubmit={() => find !== '' && counting.run(count)}>
        <div class="columns">
          <TextField label="Find" hint="Upper and lower case differ" value={find} onChange={setFind} />
          <TextField label="Replace with" value={by} onChange={setBy} />
        </div>
        {find !== '' && isInTemplate(find) && (
          <p class="notice waiting">
            The template has this text too. <a href={addressOf('templates', templateId)}>Change the template</a>
          </p>
        )}
        <Failure error={counting.error} />
        <div class="actions">
          <button type="submit" class="primary" disabled={find === '' || find === by || counting.isRunning}>
            {counting.isRunning ? 'Counting …' : 'Count and replace …'}
          </button>
          {progress !== null && <span role="status">{progress}</span>}
        </div>
      </Form>
      {found?.ids.length === 0 && <p role="status">None of {found.read} passes has this text.</p>}
      {outcome && <Result outcome={outcome} templateId={templateId} />}
      {found && found.ids.length > 0 && (
        <Dialog
          title={`Change ${inPasses(found.ids.length)}?`}
          action="Replace"
          task={changing}
          onConfirm={() => changing.run(() => change(found.ids))}
          onClose={() => setFound(null)}
        >
          <p>
            {found.ids.length} of {found.read} passes have the text. Phones that hold them update, and show a line if a
            value changes. For example:
          </p>
          {found.example && <ChangeList changes={changesBetween(found.example.before, found.example.after)} />}
          {progress !== null && <p role="status">{progress}</p>}
        </Dialog>
      )}
    </section>
  );
}

interface ReplaceProps {
  readonly templateId: string;
  /** Returns true if the template itself has a text. */
  readonly isInTemplate: (text: string) => boolean;
  readonly onDone: () => void;
}

function Result({ outcome: { changed, failures }, templateId }: { outcome: Outcome; templateId: string }) {
  return (
    <div class={`notice ${failures.length === 0 ? 'good' : 'waiting'}`} role="status">
      <p>Changed {inPasses(changed)}.</p>
      {failures.length > 0 && <p>These failed. Replace again to try them once more:</p>}
      {failures.slice(0, 5).map(({ id, message }) => (
        <p key={id}>
          <a href={addressOf('passes', templateId, id)}>{id}</a>: {message}
        </p>
      ))}
    </div>
  );
}

const inPasses = (count: number) => `${count} ${count === 1 ? 'pass' : 'passes'}`;
