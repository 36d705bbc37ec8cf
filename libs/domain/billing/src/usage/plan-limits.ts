import { LimitExceeded } from '@passwright/core';
import { QueryFailedError } from 'typeorm';

/** The SQL state of a statement that would exceed the account's limit on passes. */
const usedUp = 'PW403';

/**
 * Maps the database's limit error to `LimitExceeded`. Use it in the `catch` of every statement that inserts passes.
 * @throws LimitExceeded if the limit was the reason, else the error itself
 */
export function toLimitExceeded(error: unknown): never {
  if (!(error instanceof QueryFailedError)) throw error;
  const { code, detail } = error.driverError as { code?: string; detail?: string };
  if (code !== usedUp || detail === undefined) throw error;
  const { maxPassCreations, periodEnd } = JSON.parse(detail) as { maxPassCreations: number; periodEnd: string };
  throw new LimitExceeded(
    `maxPassCreations of the account is ${maxPassCreations} passes in a billing period, deleted ones included, and this ` +
      `would be more: create it after ${periodEnd}, when the period ends, or have the limit raised.`,
  );
}

/**
 * Returns the error for an account with too many templates. @param limit the maximum number of templates, not counting
 * archived ones
 */
export function templatesUsedUp(limit: number): LimitExceeded {
  return new LimitExceeded(
    `maxTemplates of the account is ${limit}, and it has as many templates that are not archived: archive or delete one, ` +
      'or have the limit raised.',
  );
}
