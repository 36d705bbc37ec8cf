/**
 * SQL: whether device `d` is one of those in a list. Said besides the join with it, as the planner would rather read all
 * devices than look for some hundreds of them: of an array made by a query it expects few.
 */
export function namedIn(list: string, column = 'id'): string {
  return `d.id = ANY (ARRAY (SELECT ${column} FROM ${list}))`;
}
