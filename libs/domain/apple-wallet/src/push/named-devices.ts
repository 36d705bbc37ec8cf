/**
 * Returns SQL that is true if device `d` is in a list. Use it in addition to a join with the list. Otherwise, the
 * planner would read all devices instead of looking up a few hundred.
 */
export function namedIn(list: string, column = 'id'): string {
  return `d.id = ANY (ARRAY (SELECT ${column} FROM ${list}))`;
}
