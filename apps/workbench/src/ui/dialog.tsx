import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Failure, Form } from './parts.js';
import type { Task } from './use-task.js';

/** A question before something happens. The browser keeps the focus inside, and Escape closes it. */
export function Dialog(props: {
  title: string;
  /** The text of the button that does it. */
  action: string;
  isDangerous?: boolean;
  task: Task;
  onConfirm: () => void;
  onClose: () => void;
  children?: ComponentChildren;
}) {
  const { title, action, isDangerous = false, task, onConfirm, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const former = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => former?.focus();
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
      <Form onSubmit={onConfirm} class="stack">
        <h2 id="dialog-title">{title}</h2>
        {children}
        <Failure error={task.error} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={task.isRunning}>
            {task.isRunning ? 'Working …' : action}
          </button>
        </div>
      </Form>
    </dialog>
  );
}
