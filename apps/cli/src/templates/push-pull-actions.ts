import { changedWhere, type Comparison, type Standing } from './comparison.js';

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
