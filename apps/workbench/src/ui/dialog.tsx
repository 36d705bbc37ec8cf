import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { focusOrHeading } from '../focus.js';
import { Failure, Form } from './parts.js';
import { type Task, useTask } from './use-task.js';

/** The question that is open, and the task that its confirmation starts. */
export interface Question<T> {
  /** Null while no question is open. */
  readonly asked: T | null;
  readonly task: Task;
  readonly ask: (asked: T | null) => void;
  readonly close: () => void;
}

/** Holds the open question of a screen, and the task that runs when the person confirms it. */
export function useQuestion<T>(): Question<T> {
  const [asked, ask] = useState<T | null>(null);
  const task = useTask();
  const close = () => {
    task.clear();
    ask(null);
  };
  return { asked, task, ask, close };
}

/** A dialog that asks before an action. The browser keeps the focus inside, and Escape closes it. */
export function Dialog(props: {
  title: string;
  /** The text of the button that confirms. */
  action: string;
  isDangerous?: boolean;
  /** False until the dialog shows the details of its question. */
  isReady?: boolean;
  task: Task;
  onConfirm: () => void;
  onClose: () => void;
  children?: ComponentChildren;
}) {
  const { title, action, isDangerous = false, isReady = true, task, onConfirm, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const former = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => focusOrHeading(former);
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <Form onSubmit={() => isReady && onConfirm()} class="stack">
        <h2 id="dialog-title">{title}</h2>
        {children}
        <Failure error={task.error} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={task.isRunning || !isReady}>
            {task.isRunning ? 'Working …' : action}
          </button>
        </div>
      </Form>
    </dialog>
  );
}
