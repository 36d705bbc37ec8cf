import { useId } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { messageOf } from '../ui/errors.js';
import { TextField } from '../ui/field.js';
import { announce } from '../ui/announcer.js';
import { useFileDrop } from '../ui/file-drop.js';
import { useTask } from '../ui/use-task.js';

export type Purpose = 'icon' | 'logo' | 'banner' | 'background' | 'thumbnail' | 'artwork';

interface ImageProps {
  readonly purpose: Purpose;
  readonly label: string;
  readonly hint: string;
  readonly templateId: string;
  readonly value: string;
  readonly error: string | null;
  readonly warning: string | null;
  readonly onChange: (url: string) => void;
}

/** An image: drop a file on it, choose one, or give its address. */
export function ImageField({ purpose, label, hint, templateId, value, error, warning, onChange }: ImageProps) {
  const { session } = useWho();
  const task = useTask();
  const id = useId();
  const upload = (file: File | undefined) => {
    if (!file) return;
    task.run(async () => {
      const body = new FormData();
      body.set(purpose, file);
      const urls = await session.api.uploadTemplateImages({ templateId: templateId || 'draft', body });
      onChange(urls[purpose] ?? '');
      announce(`${label} uploaded.`);
    });
  };
  const { isOver, handlers } = useFileDrop(upload);
  const isOwn = value.startsWith(`${session.baseUrl}/`);
  return (
    <div class={`image${isOver ? ' over' : ''}`} {...handlers}>
      <div class="image-shown">
        {isOwn ? (
          <img src={value} alt="" />
        ) : (
          <span class="muted small">{value === '' ? 'No image' : 'On another server'}</span>
        )}
      </div>
      <label class="button" for={id}>
        {task.isRunning ? 'Uploading …' : 'Choose a file'}
        <span class="hidden"> for {label}</span>
      </label>
      <input
        id={id}
        class="hidden"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        onChange={({ currentTarget }) => {
          upload(currentTarget.files?.[0]);
          currentTarget.value = '';
        }}
      />
      <TextField
        label={label}
        hint={hint}
        placeholder="https://…"
        value={value}
        error={task.error === null ? error : messageOf(task.error)}
        warning={warning}
        onChange={onChange}
      />
    </div>
  );
}
