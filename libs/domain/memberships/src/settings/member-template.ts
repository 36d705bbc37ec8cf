import type { Template } from '@passwright/templates';

/** Returns true for a type of template whose passes members can have. */
export function canHaveMembers(type: Template['type']): boolean {
  return type === 'membership' || type === 'generic';
}
