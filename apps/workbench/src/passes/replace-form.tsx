import { useEffect, useRef, useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { changesBetween } from '../model/changes.js';
import { ChangeList } from '../ui/change-list.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Failure, Form } from '../ui/parts.js';
import { useTask } from '../ui/use-task.js';
import { changeAll, type Found, type Outcome, passesWith, type Work } from './text-replacement.js';

/**
 * Replaces a text on all passes of a template, for example to correct a typo. Counts the passes before it changes any
 * of them.
 */
export function ReplaceForm({ templateId, isInTemplate, onDone }: ReplaceProps) {
  const { session } = useWho();
  const [find, setFind] = useState('');
  const [by, setBy] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const [outcome, setOutcome] = useState<WorkDone | null>(null);
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
  /** Changes passes. @param before the number of passes that were changed before */
  const change = async (work: Work, ids: readonly string[], before = 0) => {
    const { changed, failures } = await changeAll(work, ids, setProgress, ending.current.signal);
    setProgress(null);
    setFound(null);
    setOutcome({ work, changed: before + changed, failures });
    onDone();
  };
  const retry = ({ work, changed, failures }: WorkDone) =>
    changing.run(() =>
      change(
        work,
        failures.map(({ id }) => id),
        changed,
      ),
    );
  return (
    <section class="panel stack" aria-label="Replace a text">
      <h2>Replace a text on all passes</h2>
      <p class="muted">
        In primary values, and in the labels, values and change messages of the passes’ own fields. Texts of the
        template are changed in the template.
      </p>
      <Form class="stack" onSubmit={() => find !== '' && counting.run(count)}>
        <div class="columns">
          <TextField label="Find" hint="Upper and lower case matter" value={find} onChange={setFind} />
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
      {found?.ids.length === 0 && <p role="status">None of {found.read} passes has this text to replace.</p>}
      {outcome && <Result outcome={outcome} isBusy={changing.isRunning} onRetry={() => retry(outcome)} />}
      {found && found.ids.length > 0 && (
        <Dialog
          title={`Change ${inPasses(found.ids.length)}?`}
          action="Replace"
          task={changing}
          onConfirm={() => changing.run(() => change({ session, templateId, find, by }, found.ids))}
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
  /** Returns true if the template itself contains the text. */
  readonly isInTemplate: (text: string) => boolean;
  readonly onDone: () => void;
}

/** An outcome, and the work to repeat for the passes that failed. */
interface WorkDone extends Outcome {
  readonly work: Work;
}

function Result(props: { outcome: WorkDone; isBusy: boolean; onRetry: () => void }) {
  const { changed, failures, work } = props.outcome;
  const isDone = failures.length === 0;
  return (
    <div class={`notice ${isDone ? 'good' : 'waiting'}`}>
      <p role="status">
        Changed {inPasses(changed)}.{!isDone && ` ${failures.length} failed:`}
      </p>
      {failures.slice(0, 5).map(({ id, message }) => (
        <p key={id}>
          <a href={addressOf('passes', work.templateId, id)}>{id}</a>: {message}
        </p>
      ))}
      {!isDone && (
        <button type="button" disabled={props.isBusy} onClick={props.onRetry}>
          Try these again
        </button>
      )}
    </div>
  );
}

const inPasses = (count: number) => `${count} ${count === 1 ? 'pass' : 'passes'}`;
