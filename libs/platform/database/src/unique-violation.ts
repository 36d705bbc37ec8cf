import { QueryFailedError } from 'typeorm';

interface Violation {
  readonly code?: string;
  readonly constraint?: string;
  readonly detail?: string;
}

/**
 * Returns true if a write failed because of this unique constraint or index.
 * @param columns the columns or expressions of the key, as Postgres prints them. Needed for a table that may be
 *   partitioned, because the constraints of partitions have other names.
 */
export function isUniqueViolation(error: unknown, constraint: string, columns?: readonly string[]): boolean {
  return isViolation(error, '23505', constraint, columns);
}

/**
 * Returns true if a write failed because of this foreign key.
 * @param columns the referring columns if the referenced row is missing, or the referenced columns if other rows still
 * refer to the row. See `isUniqueViolation`
 */
export function isForeignKeyViolation(error: unknown, constraint: string, columns?: readonly string[]): boolean {
  return isViolation(error, '23503', constraint, columns);
}

function isViolation(error: unknown, code: string, constraint: string, columns?: readonly string[]): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const cause = error.driverError as Violation;
  if (cause.code !== code) return false;
  return cause.constraint === constraint || (columns !== undefined && keyOf(cause) === columns.join(', '));
}

/** Returns the key in a detail such as `Key (account_id, id)=(acc_1, p1) already exists.`, in any language. */
function keyOf({ detail = '' }: Violation): string {
  return detail.slice(detail.indexOf('(') + 1, Math.max(0, detail.indexOf(')=(')));
}
