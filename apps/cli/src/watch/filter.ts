import type { WatchedEvent } from './stream.js';

/** Which events are shown. */
export interface EventFilter {
  template?: string;
  /** Types with commas between them; `pass.*` stands for all that begin with `pass.`. */
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

/** What an event happened to: `template/pass`, a member or whatever it names. */
export function subjectOf({ data }: WatchedEvent): string {
  const { templateId, passId, memberId } = data;
  const pass = [templateId, passId].filter((part) => typeof part === 'string').join('/');
  const member = typeof memberId === 'number' || typeof memberId === 'string' ? `member ${memberId}` : '';
  return [member, pass].filter(Boolean).join('  ');
}

/** What else an event says, in short; times and what stands elsewhere in its line are left out. */
export function detailOf({ data }: WatchedEvent): string {
  const told = new Set(['templateId', 'passId', 'memberId', 'accountId', 'createdAt', 'updatedAt']);
  return Object.entries(data)
    .filter(([name, value]) => !told.has(name) && value !== null && typeof value !== 'object' && value !== false)
    .map(([name, value]) => (value === true ? name : `${name} ${String(value)}`))
    .join(', ');
}
