import { QueryFailedError } from 'typeorm';

/** Returns true if a write failed because of this unique constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, '23505', constraint);
}

/** Returns true if a write failed because of this foreign key. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, '23503', constraint);
}

function hasCode(error: unknown, code: string, constraint: string): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const cause = error.driverError as { code?: string; constraint?: string };
  return cause.code === code && cause.constraint === constraint;
}
