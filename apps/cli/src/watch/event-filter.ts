import type { WatchedEvent } from './stream.js';

/** Selects the events that `passwright watch` prints. */
export interface EventFilter {
  template?: string;
  /** Comma-separated types. `pass.*` selects all types that begin with `pass.`. */
  type?: string;
}

export function isShown({ type, data }: WatchedEvent, filter: EventFilter): boolean {
  if (filter.template !== undefined && data.templateId !== filter.template) return false;
  if (filter.type === undefined) return true;
  return filter.type.split(',').some((wanted) => {
    const name = wanted.trim();
    return name.endsWith('*') ? type.startsWith(name.slice(0, -1)) : type === name;
  });
}

/** Returns the subject of an event: `template/pass`, a member or another name. */
export function subjectOf({ data }: WatchedEvent): string {
  const { templateId, passId, memberId } = data;
  const pass = [templateId, passId].filter((part) => typeof part === 'string').join('/');
  const member = typeof memberId === 'number' || typeof memberId === 'string' ? `member ${memberId}` : '';
  return [member, pass].filter(Boolean).join('  ');
}

/** Summarises the data of an event in words. Leaves out times, and the ids that the line of the event already shows. */
export function detailOf({ data }: WatchedEvent): string {
  const reported = new Set(['templateId', 'passId', 'memberId', 'accountId', 'createdAt', 'updatedAt']);
  return Object.entries(data)
    .filter(([name, value]) => !reported.has(name) && value !== null && typeof value !== 'object' && value !== false)
    .map(([name, value]) => (value === true ? name : `${name} ${String(value)}`))
    .join(', ');
}
