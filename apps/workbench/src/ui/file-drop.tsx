import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { messageOf } from './errors.js';
import type { Task } from './use-task.js';

interface FileDropProps {
  readonly title: string;
  /** The endings and media types of files to choose. */
  readonly accept: string;
  readonly task: Task;
  readonly onFile: (file: File) => void;
  readonly children: ComponentChildren;
}

/** A place to drop a file on, or to choose one. */
export function FileDrop({ title, accept, task, onFile, children }: FileDropProps) {
  const id = useId();
  const take = (file: File | undefined) => file && onFile(file);
  const { isOver, handlers } = useFileDrop(take);
  return (
    <section class={`import${isOver ? ' over' : ''}`} aria-labelledby={`${id}-title`} {...handlers}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p class="muted">{children}</p>
      <label class="button" for={id}>
        {task.isRunning ? 'Reading …' : 'Choose a file'}
        <span class="hidden"> to import</span>
      </label>
      <input
        id={id}
        class="hidden"
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      {task.error !== null && (
        <p class="notice ended" role="alert">
          {task.error instanceof Error ? task.error.message : messageOf(task.error)}
        </p>
      )}
    </section>
  );
}

/** Lets a person drop a file on an element: spread `handlers` on it. `isOver` is true while a file is above it. */
export function useFileDrop(onFile: (file: File | undefined) => void) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFile(event.dataTransfer?.files[0]);
    },
  };
  return { isOver, handlers };
}
