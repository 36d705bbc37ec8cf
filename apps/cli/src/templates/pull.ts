import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Context } from '../context.js';
import { exitCodes, Failure } from '../failures.js';
import { agree, openWorkspace, type Compared, type Workspace } from './workspace.js';
import { changedText, newText } from './file-text.js';
import { pullAction, type PullAction } from './push-pull-actions.js';
import { showPlan, type Saying } from './plan-view.js';
import { isTemplateId } from './template-files.js';
import { writeTranslations } from './translation-files.js';

export interface PullOptions {
  dryRun?: boolean;
  force?: boolean;
  yes?: boolean;
}

interface Step extends Compared {
  action: PullAction;
}

const says = {
  create: { mark: '+', says: 'new file' },
  change: { mark: '~', says: 'change the file' },
  archived: { mark: '!', says: 'archived on the service: the file stays unchanged' },
  conflict: {
    mark: '!',
    says: 'the file has changes that were not pushed: stays unchanged (see diff; --force overwrites)',
  },
} satisfies Record<Exclude<PullAction, 'unchanged' | 'left'>, Saying>;

const numbers: Record<string, readonly PullAction[]> = {
  'new files': ['create'],
  'to change': ['change'],
  'left alone': ['conflict', 'archived'],
  'only in the files': ['left'],
  unchanged: ['unchanged'],
};

/**
 * Runs `passwright templates pull`: writes the service's templates into files. Equal parts of the files stay unchanged.
 */
export async function pullTemplates(context: Context, ids: readonly string[], options: PullOptions): Promise<void> {
  const { output } = context;
  context.io.mustFinish = !options.dryRun;
  const workspace = await openWorkspace(context, ids);
  const steps = workspace.templates.map((template): Step => ({
    ...template,
    action: pullAction(template.standing, options),
  }));
  const todo = steps.filter(({ action }) => action === 'create' || action === 'change');
  showPlan(context, workspace, { steps, says, numbers });
  const overwrites = todo.some(({ standing }) => standing !== 'missing' && standing !== 'changed on the service');
  const asks = overwrites && !options.yes && !options.dryRun && context.prompt.possible;
  if (asks && !(await context.prompt.confirm('Overwrite the files?'))) return output.line('Nothing was changed.');
  const written: string[] = [];
  for (const step of options.dryRun ? [] : todo) {
    context.checkInterrupted(`Stopped; written: ${written.join(', ') || 'nothing'}.`);
    written.push(relative(context.io.cwd, await write(workspace, step)));
    output.line(`${output.style('green', '✓')} ${written.at(-1)}`);
  }
  if (!options.dryRun) await workspace.lock.save();
  if (options.dryRun && todo.length > 0) output.line('Dry run: nothing was written.');
  const plan = steps.map(({ id, action }) => ({ id, action }));
  output.result({ url: workspace.service.url, plan, written });
  if (steps.some(({ action }) => action === 'conflict')) context.exitCode = exitCodes.failed;
}

/** Writes a template, its images and its translations to files. @returns the path of the template */
async function write({ project, images, lock }: Workspace, { id, file, service }: Step): Promise<string> {
  if (!service || !isTemplateId(id)) throw new Failure(`"${id}" cannot be the name of a file.`);
  const local = await images.asFile(service.body, id, file, project.templates);
  const path = file?.path ?? join(project.templates, `${id}.yaml`);
  await mkdir(project.templates, { recursive: true });
  await images.write(local.images);
  const before = { own: file?.own ?? {}, files: file?.translations ?? [] };
  const body = await writeTranslations(local.body, path, id, before);
  await writeFile(path, file ? changedText(file.text, path, body) : newText(body));
  agree(lock, service);
  return path;
}
