import { useWho } from '../api/current-user.js';
import type { Session } from '../api/session.js';
import { bytesOf } from '../model/import/archive.js';
import { importedFile } from '../model/import/imported-file.js';
import { type Body, idFrom, textOf } from '../model/template.js';
import { announce } from '../ui/announcer.js';
import { messageOf } from '../ui/errors.js';
import { FileDrop } from '../ui/file-drop.js';
import { useTask } from '../ui/use-task.js';
import type { Imported } from './imported.js';
import { pictureTemplate } from './picture-template.js';

const ACCEPTED = 'image/png,image/jpeg,image/webp,.pkpass,.zip,.json,application/vnd.apple.pkpass';

interface ImportFieldProps {
  /** The starter template, which a chosen picture completes. */
  readonly starter: Body;
  readonly onDone: (imported: Imported) => void;
}

/** Reads a template from a picture, a pass or a template file, which is chosen or dropped. Only the images are uploaded. */
export function ImportField({ starter, onDone }: ImportFieldProps) {
  const { session } = useWho();
  const task = useTask();
  const take = (file: File) =>
    task.run(async () => {
      const isPicture = file.type.startsWith('image/');
      const imported = await (isPicture ? pictureTemplate(session, file, starter) : passTemplate(session, file));
      announce('Imported.');
      onDone(imported);
    });
  return (
    <FileDrop title="Begin with a picture or a pass" accept={ACCEPTED} task={task} onFile={take}>
      Drop a picture here: it becomes the banner and gives the colours. Or drop a <code>.pkpass</code>, a zipped pass
      folder, a <code>pass.json</code> or a template as JSON: texts, colours, places, languages and images become a
      template that you can change before you save it.
    </FileDrop>
  );
}

/** Reads a file and uploads its images separately, so that an image that the API rejects does not affect the others. */
async function passTemplate(session: Session, file: File): Promise<Imported> {
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
