import type { Context } from '../context.js';
import { Failure, WrongUsage } from '../failures.js';
import type { Project } from '../project.js';
import { ImageFiles, uploadedImage } from './image-files.js';
import { imageAt, slotsOf, withImage } from './image-slots.js';
import { Lock } from './lock.js';
import { compared, type Comparison } from './comparison.js';
import { Service, type StoredTemplate } from './template-service.js';
import { State } from './state.js';
import type { TemplateBody } from './template-body.js';
import { readTemplates, type TemplateFile } from './template-files.js';

/** A template in a file and on the service. Either may be missing. */
export interface Compared extends Comparison {
  file?: TemplateFile;
  /** The template from the file, with image addresses instead of file paths. */
  body?: TemplateBody;
  service?: StoredTemplate;
}

/** The project, the service and the templates that a template command works with. */
export interface Workspace {
  project: Project;
  service: Service;
  lock: Lock;
  images: ImageFiles;
  templates: Compared[];
}

/**
 * Reads the project's files and the service's templates, and compares them. Updates the lock in memory for templates that
 * are equal.
 * @param ids the templates to compare; empty for all
 * @param upload uploads images that the service's templates do not have
 * @throws WrongUsage for an id that exists neither in the files nor on the service
 */
export async function openWorkspace(context: Context, ids: readonly string[], upload = false): Promise<Workspace> {
  const project = await context.project();
  const files = (await readTemplates(project.templates)).filter(({ id }) => ids.length === 0 || ids.includes(id));
  const service = await Service.of(context);
  const [state, lock] = [await State.read(project), await Lock.read(project)];
  const images = new ImageFiles(project.folder, state, service);
  const stored = new Map((await service.list()).map((template) => [template.id, template]));
  const unknown = ids.find((id) => !stored.has(id) && !files.some((file) => file.id === id));
  if (unknown)
    throw new WrongUsage(`There is no template "${unknown}", neither in ${project.templates} nor on ${service.url}.`);
  const known = [...stored.keys()].filter((id) => ids.length === 0 || ids.includes(id));
  const all = [...new Set([...files.map(({ id }) => id), ...known])].sort();
  const templates: Compared[] = [];
  for (const id of all) {
    context.checkInterrupted('Stopped; nothing was changed.');
    const file = files.find((one) => one.id === id);
    const both = await compareOne({ file, service: stored.get(id), images, lock, upload });
    if (both) templates.push(both);
  }
  await state.save();
  return { project, service, lock, images, templates };
}

interface Sides {
  file: TemplateFile | undefined;
  service: StoredTemplate | undefined;
  images: ImageFiles;
  lock: Lock;
  upload: boolean;
}

async function compareOne({ file, service, images, lock, upload }: Sides): Promise<Compared | null> {
  const body = file && (await images.resolved(file, service?.body, upload));
  const locked = service && lock.base(service.accountId, service.id);
  const base = locked && withAddresses(locked, [service.body, body ?? {}]);
  const comparison = compared(file && body && { id: file.id, body }, service, base);
  if (!comparison) return null;
  if (comparison.standing === 'same' && service) agree(lock, service);
  return { ...comparison, file, body, service };
}

/** Records in the lock that file and service are equal now. Omits the host of image addresses, which may change. */
export function agree(lock: Lock, { accountId, id, body }: StoredTemplate): void {
  let recorded = body;
  for (const slot of slotsOf(body)) {
    const path = uploadedImage(imageAt(body, slot))?.path;
    if (path !== undefined) recorded = withImage(recorded, slot, path);
  }
  lock.agree(accountId, id, recorded);
}

/** Returns a template from the lock with full image addresses, taken from the file or the service. */
export function withAddresses(base: TemplateBody, sides: readonly TemplateBody[]): TemplateBody {
  let body = base;
  for (const slot of slotsOf(base)) {
    const side = sides.find((each) => uploadedImage(imageAt(each, slot))?.path === imageAt(base, slot));
    if (side) body = withImage(body, slot, imageAt(side, slot));
  }
  return body;
}

/**
 * Checks that template files exist.
 * @throws Failure if there are none
 */
export function requireFiles({ project, templates }: Workspace): void {
  if (templates.some(({ file }) => file)) return;
  throw new Failure(
    `${project.templates} has no templates.`,
    'Fetch the templates of the service: passwright templates pull\nOr start with an example: passwright init',
    'no_templates',
  );
}
