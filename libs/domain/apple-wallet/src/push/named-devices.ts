/**
 * Returns SQL that is true if device `d` is in a list. Use it in addition to a join with the list, so that the planner
 * looks up these devices instead of reading all.
 */
export function namedIn(list: string, column = 'id'): string {
  return `d.id = ANY (ARRAY (SELECT ${column} FROM ${list}))`;
}
