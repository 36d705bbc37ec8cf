/**
 * Returns SQL that is true if device `d` is in a list. Use it in addition to a join with the list: otherwise the
 * planner reads all devices instead of looking up a few hundred. The planner expects few rows from an array that a
 * query creates.
 */
export function namedIn(list: string, column = 'id'): string {
  return `d.id = ANY (ARRAY (SELECT ${column} FROM ${list}))`;
}
