import type { Context } from '../context.js';
import { Conflict, exitCodes, Failure, Interrupted } from '../failures.js';
import { counted } from '../number-format.js';
import { isRejected } from '../service-errors.js';
import { notificationLines, type Notifications } from './notification-lines.js';
import { agree, openWorkspace, type Compared, requireFiles, type Workspace } from './workspace.js';
import { differencesAsJson } from './property-differences.js';
import { pushAction, type PushAction, type PushChoice } from './push-pull-actions.js';
import { showPlan, type Saying } from './plan-view.js';
import type { Finding } from './template-service.js';
import { fingerprintOf } from './template-body.js';

export interface PushOptions extends PushChoice {
  dryRun?: boolean;
  yes?: boolean;
}

interface Step extends Compared {
  action: PushAction;
  findings: readonly Finding[];
}

const says = {
  create: { mark: '+', says: 'create' },
  change: { mark: '~', says: 'change' },
  unarchive: { mark: '~', says: 'un-archive' },
  archive: { mark: '-', says: 'archive; its passes are voided' },
  archived: { mark: '!', says: 'archived on the service: not pushed (--unarchive restores it)' },
  conflict: {
    mark: '!',
    says: 'changed on the service since the last pull or push (--force overwrites)',
  },
  foreign: { mark: '!', says: 'has no file, and this project has never pulled or pushed it (--force archives it)' },
  unknown: { mark: '!', says: 'differs, and passwright.lock does not say who changed it (--force overwrites)' },
} satisfies Record<Exclude<PushAction, 'unchanged' | 'left'>, Saying>;

const numbers: Record<string, readonly PushAction[]> = {
  'to create': ['create'],
  'to change': ['change', 'unarchive'],
  'to archive': ['archive'],
  'in conflict': ['conflict', 'unknown', 'foreign'],
  'left alone': ['archived'],
  'without a file': ['left'],
  unchanged: ['unchanged'],
};

const applied = new Set<PushAction>(['create', 'change', 'unarchive', 'archive']);

/**
 * Runs `passwright templates push`: shows the plan, asks, and applies it. Never overwrites a change that was made after
 * the plan.
 */
export async function pushTemplates(context: Context, ids: readonly string[], options: PushOptions): Promise<void> {
  const { output } = context;
  context.io.mustFinish = !options.dryRun;
  const workspace = await openWorkspace(context, ids, true);
  if (!options.prune) requireFiles(workspace);
  const asks = !options.yes && context.prompt.possible;
  const steps = await planned(workspace, options, asks);
  const todo = steps.filter(({ action }) => applied.has(action));
  showPlan(context, workspace, { steps, says, numbers });
  const errors = todo.filter(({ findings }) => findings.some(({ severity }) => severity === 'error'));
  const plan = steps.map(asJson);
  rejectConflicts(steps, plan);
  if (errors.length > 0)
    throw new Failure(
      `The service would reject ${errors.map(({ id }) => id).join(', ')}; nothing was changed.`,
      'Fix the errors above, then push again.',
      'templates_refused',
      { plan, applied: [] },
    );
  if (options.dryRun || todo.length === 0 || !(await agreedTo(context, todo, options))) {
    output.result({ url: workspace.service.url, plan, applied: [] });
    if (options.dryRun && todo.length > 0) output.line('Dry run: nothing was changed.');
  } else {
    const notifications = await apply(context, workspace, todo, plan);
    output.result({ url: workspace.service.url, plan, applied: todo.map(({ id }) => id), notifications });
  }
  if (!options.dryRun) await workspace.lock.save();
  // An archived template was not pushed, so file and service still differ. Report that in the exit code.
  if (steps.some(({ action }) => action === 'archived')) context.exitCode = exitCodes.failed;
}

/** @throws Conflict if the push would undo changes that were made on the service */
function rejectConflicts(steps: readonly Step[], plan: object[]): void {
  const idsOf = (...wanted: PushAction[]) => steps.filter(({ action }) => wanted.includes(action)).map(({ id }) => id);
  const [changed, unknown] = [idsOf('conflict'), idsOf('unknown', 'foreign')];
  const details = { plan, applied: [] };
  if (changed.length > 0)
    throw new Conflict(
      `The service has changes of ${changed.join(', ')} that this project does not have; nothing was changed.`,
      'Fetch them with passwright templates pull, or write them into the files. To overwrite them: --force',
      details,
    );
  if (unknown.length > 0)
    throw new Conflict(
      `This project has never pulled or pushed ${unknown.join(', ')}; nothing was changed.`,
      'Fetch the service’s version with passwright templates pull, and commit passwright.lock. To overwrite or archive it: --force',
      details,
    );
}

async function planned({ templates, service }: Workspace, choice: PushChoice, asks: boolean): Promise<Step[]> {
  const steps: Step[] = [];
  for (const template of templates) {
    const action = pushAction(template, choice, asks);
    const examined = template.body && applied.has(action);
    steps.push({
      ...template,
      action,
      findings: examined ? await service.findings(template.id, template.body ?? {}) : [],
    });
  }
  return steps;
}

async function agreedTo(context: Context, todo: readonly Step[], { yes }: PushOptions): Promise<boolean> {
  if (yes || !context.prompt.possible) {
    const archives = todo.filter(({ action }) => action === 'archive');
    if (yes || archives.length === 0) return true;
    throw new Failure(
      `This would archive ${counted(archives.length, 'template')} and void the passes; nothing was changed.`,
      'This is not a terminal, so the command cannot ask: add --yes.',
      'confirmation_needed',
    );
  }
  const url = (await context.connection()).url;
  if (await context.prompt.confirm(`Apply to ${url}?`)) return true;
  context.output.line('Nothing was changed.');
  return false;
}

/** @returns for each changed template, the texts that wallets show to holders */
async function apply(
  context: Context,
  workspace: Workspace,
  todo: readonly Step[],
  plan: object[],
): Promise<Record<string, Notifications>> {
  const { output } = context;
  const done: string[] = [];
  const seen: Record<string, Notifications> = {};
  try {
    for (const step of todo) {
      if (context.io.signal.aborted) throw new Interrupted();
      const notifications = await applyOne(workspace, step);
      done.push(step.id);
      output.line(`${output.style('green', '✓')} ${step.id} ${past[step.action]}`);
      if (!notifications) continue;
      seen[step.id] = notifications;
      for (const line of notificationLines(notifications)) output.line(`    ${line}`);
    }
    return seen;
  } catch (error) {
    throw stoppedAt(error, todo, done, plan);
  } finally {
    await workspace.lock.save();
  }
}

const past: Partial<Record<PushAction, string>> = {
  create: 'created',
  change: 'changed',
  unarchive: 'un-archived',
  archive: 'archived',
};

/** @returns the texts that wallets show to holders, if the service's response contains them */
async function applyOne(
  { service, lock }: Workspace,
  { id, action, body, service: planned }: Step,
): Promise<Notifications | undefined> {
  let now = await service.find(id);
  const expected = planned && fingerprintOf(planned.body);
  if ((now && fingerprintOf(now.body)) !== expected || now?.archived !== planned?.archived) throw changedMeanwhile(id);
  if (action === 'archive') {
    await service.archive(id);
    if (planned) lock.forget(planned.accountId, id);
    return undefined;
  }
  if (action === 'unarchive') now = await service.unarchive(id);
  const saved = await service.save(id, body ?? {}, now);
  agree(lock, saved);
  return saved.notifications;
}

function changedMeanwhile(id: string): Failure {
  return new Failure(`${id} was changed on the service since the plan was made.`, undefined, 'precondition_failed');
}

/** Returns an error that also lists which templates were applied. */
function stoppedAt(error: unknown, todo: readonly Step[], done: readonly string[], plan: object[]): Error {
  const [failed, ...rest] = todo.slice(done.length).map(({ id }) => id);
  const why = isRejected(error, 'precondition_failed') ? changedMeanwhile(failed ?? '') : (error as Error);
  const lines = [
    done.length > 0 ? `Applied: ${done.join(', ')}.` : 'Nothing was applied.',
    `Not applied: ${[failed, ...rest].join(', ')}.`,
    'Run the push again for a new plan.',
  ];
  const code = isRejected(why) || why instanceof Failure ? why.code : 'failed';
  const said =
    why instanceof Interrupted
      ? 'Stopped.'
      : why.message.includes(failed ?? '')
        ? why.message
        : `${failed}: ${why.message}`;
  const failure = new Failure(said, lines.join('\n'), code, { plan, applied: done });
  return why instanceof Interrupted ? Object.assign(failure, { exitCode: why.exitCode }) : failure;
}

function asJson({ id, action, differences, findings }: Step): object {
  return { id, action, differences: differencesAsJson(differences), findings };
}
