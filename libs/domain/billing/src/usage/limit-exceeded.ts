import { LimitExceeded } from '@passwright/core';
import { QueryFailedError } from 'typeorm';

/** What the database raises when a statement creates more passes than the account's limit leaves. */
const usedUp = 'PW403';

/**
 * For the `catch` of every statement that inserts passes.
 * @throws LimitExceeded where that is what the database had against it, else the error as it is
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

/** @param limit how many templates the account may have that are not archived */
export function templatesUsedUp(limit: number): LimitExceeded {
  return new LimitExceeded(
    `maxTemplates of the account is ${limit}, and it has as many templates that are not archived: archive or delete one, ` +
      'or have the limit raised.',
  );
}
