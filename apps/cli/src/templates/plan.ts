import { differencesOf, type Difference } from './differences.js';
import { same, type TemplateBody } from './template-body.js';

/** A template from a file, with image addresses instead of paths. */
export interface FileSide {
  id: string;
  body: TemplateBody;
}

/** A template from the service. */
export interface ServiceSide {
  id: string;
  body: TemplateBody;
  archived: boolean;
}

/** The result of comparing a file with the service's template. */
export type Standing =
  | 'same'
  /** Only the file exists. */
  | 'new'
  /** Only the service's template exists. */
  | 'missing'
  /** The two sides differ, and it is unknown when they were last equal. */
  | 'different'
  | 'changed in the file'
  | 'changed on the service'
  | 'changed in both'
  /** The file exists, and the service's template is archived. */
  | 'archived';

export interface Comparison {
  id: string;
  standing: Standing;
  differences: Difference[];
  /** How the service's template has changed since this project's last pull or push. Set only if there is no file. */
  since?: 'unknown' | 'unchanged' | 'changed';
}

/**
 * Compares the file with the service's template.
 * @param base the template when both were last equal; undefined if unknown
 */
export function compared(
  file: FileSide | undefined,
  service: ServiceSide | undefined,
  base: TemplateBody | undefined,
): Comparison | null {
  if (!file) return service && !service.archived ? withoutFile(service, base) : null;
  if (!service) return { id: file.id, standing: 'new', differences: [] };
  const differences = differencesOf(service.body, file.body, base);
  if (service.archived) return { id: file.id, standing: 'archived', differences };
  return {
    id: file.id,
    differences,
    standing: differences.length === 0 ? 'same' : changedWhere(differences),
  };
}

function withoutFile({ id, body }: ServiceSide, base: TemplateBody | undefined): Comparison {
  const since = base === undefined ? 'unknown' : same(body, base) ? 'unchanged' : 'changed';
  return { id, standing: 'missing', differences: [], since };
}

/**
 * Returns where the differing properties have changed. Leaves out a property that changed in the same way on both
 * sides.
 */
function changedWhere(differences: readonly Difference[]): Standing {
  const sides = new Set(differences.map(({ changedBy }) => changedBy));
  if (sides.has(undefined)) return 'different';
  if (sides.size > 1 || sides.has('both')) return 'changed in both';
  return sides.has('file') ? 'changed in the file' : 'changed on the service';
}

/** The action of a push for one template. */
export type PushAction =
  | 'create'
  | 'change'
  | 'unarchive'
  | 'archive'
  | 'unchanged'
  /** There is no file, and the caller did not ask to archive the template. */
  | 'left'
  | 'archived'
  /** The service has changes that the push would undo. */
  | 'conflict'
  /** The two sides differ, and the lock does not say which side has changed. */
  | 'unknown'
  /** The template should be archived, but this project never had it. */
  | 'foreign';

export interface PushChoice {
  /** Archive templates whose file was deleted. */
  prune?: boolean;
  /** Overwrite or archive templates even if the service's have changed. */
  force?: boolean;
  unarchive?: boolean;
}

/**
 * Returns the action of a push.
 * @param asks true if the user sees the differences and can reject them
 */
export function pushAction(
  { standing, differences, since }: Omit<Comparison, 'id'>,
  choice: PushChoice,
  asks = false,
): PushAction {
  switch (standing) {
    case 'same':
      return 'unchanged';
    case 'new':
      return 'create';
    case 'missing':
      return choice.prune ? pruneAction(since, choice, asks) : 'left';
    case 'archived':
      if (!choice.unarchive) return 'archived';
      return (differences.length > 0 && overwriteProblem(changedWhere(differences), choice, asks)) || 'unarchive';
    default:
      return overwriteProblem(standing, choice, asks) ?? 'change';
  }
}

function pruneAction(since: Comparison['since'], { force }: PushChoice, asks: boolean): PushAction {
  if (force || since === 'unchanged') return 'archive';
  if (since === 'changed') return 'conflict';
  return asks ? 'archive' : 'foreign';
}

/** Returns the reason why a push must not overwrite the service's template; null if it may. */
function overwriteProblem(standing: Standing, { force }: PushChoice, asks: boolean): 'conflict' | 'unknown' | null {
  if (force || standing === 'changed in the file') return null;
  if (standing === 'different') return asks ? null : 'unknown';
  return 'conflict';
}

/** The action of a pull for one template. */
export type PullAction = 'create' | 'change' | 'unchanged' | 'left' | 'archived' | 'conflict';

export function pullAction(standing: Standing, { force }: { force?: boolean }): PullAction {
  switch (standing) {
    case 'same':
      return 'unchanged';
    case 'new':
      return 'left';
    case 'missing':
      return 'create';
    case 'archived':
      return 'archived';
    case 'different':
    case 'changed on the service':
      return 'change';
    case 'changed in the file':
    case 'changed in both':
      return force ? 'change' : 'conflict';
  }
}
