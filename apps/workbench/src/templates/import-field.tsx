import { useId, useState } from 'preact/hooks';
import { useWho } from '../api/page.js';
import type { Session } from '../api/session.js';
import { bytesOf } from '../model/import/archive.js';
import { importedFile } from '../model/import/imported-file.js';
import { type Body, idFrom, textOf } from '../model/template.js';
import { announce } from '../ui/announcer.js';
import { messageOf } from '../ui/errors.js';
import { useTask } from '../ui/use-task.js';

/** A template from a file, and sentences about what it does not contain. */
export interface Imported {
  readonly body: Body;
  readonly notes: readonly string[];
}

/** Reads a template from a pass or a template file, which is chosen or dropped. The file stays in the browser. */
export function ImportField({ onDone }: { onDone: (imported: Imported) => void }) {
  const { session } = useWho();
  const [isOver, setOver] = useState(false);
  const task = useTask();
  const id = useId();
  const take = (file: File | undefined) => {
    if (!file) return;
    task.run(async () => {
      const imported = await read(session, file);
      announce('Imported.');
      onDone(imported);
    });
  };
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
      <h2 id={`${id}-title`}>Import a pass</h2>
      <p class="muted">
        Drop a <code>.pkpass</code>, a zipped pass folder, a <code>pass.json</code> or a template as JSON here. Texts,
        colours, places, languages and images become a template that you can change before you save it.
      </p>
      <label class="button" for={id}>
        {task.isRunning ? 'Reading …' : 'Choose a file'}
        <span class="hidden"> to import</span>
      </label>
      <input
        id={id}
        class="hidden"
        type="file"
        accept=".pkpass,.zip,.json,application/vnd.apple.pkpass"
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

/** Reads a file and uploads its images separately, so that an image that the API rejects does not affect the others. */
async function read(session: Session, file: File): Promise<Imported> {
  const { body, images, notes } = importedFile(await bytesOf(file), session.baseUrl);
  const templateId = idFrom(textOf(body, 'title')) || 'imported';
  const uploads = [...images].map(async ([purpose, bytes]) => {
    const form = new FormData();
    form.set(purpose, new File([new Uint8Array(bytes)], `${purpose}.png`, { type: 'image/png' }));
    try {
      return { urls: await session.api.uploadTemplateImages({ templateId, body: form }), note: [] };
    } catch (error) {
      return { urls: {}, note: [`${purpose}: ${messageOf(error)}`] };
    }
  });
  const results = await Promise.all(uploads);
  const urls = Object.assign({}, ...results.map(({ urls: each }) => each)) as Record<string, string>;
  return { body: { ...body, ...urls }, notes: [...notes, ...results.flatMap(({ note }) => note)] };
}
