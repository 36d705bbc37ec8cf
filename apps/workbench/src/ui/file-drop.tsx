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
  const [isOver, setOver] = useState(false);
  const id = useId();
  const take = (file: File | undefined) => file && onFile(file);
  return (
    <section
      class={`import${isOver ? ' over' : ''}`}
      aria-labelledby={`${id}-title`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files[0]);
      }}
    >
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
