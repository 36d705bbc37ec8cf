import { LimitExceeded } from '@passwright/core';
import { type EntityManager, QueryFailedError } from 'typeorm';
import type { UsageRepository } from './usage.repository.js';

/** The SQL state of a statement that would exceed the account's limit on passes. */
const usedUp = 'PW403';

/**
 * Maps the database's limit error to `LimitExceeded`. Triggers on `pass` enforce the limit: see the migrations
 * `usage-counters`, `counted-passes` and `released-counters`. Call this function in the `catch` of every statement that
 * inserts passes.
 * @throws LimitExceeded for a limit error; any other error unchanged
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
 * Checks that the account has fewer templates than its limit. Archived templates do not count. @param count counts the
 * templates that are not archived. @throws LimitExceeded
 */
export async function requireTemplateRoom(
  repository: UsageRepository,
  reads: EntityManager,
  accountId: string,
  count: () => Promise<number>,
): Promise<void> {
  const most = await repository.maxTemplates(reads, accountId);
  if (most === null || (await count()) < most) return;
  throw new LimitExceeded(
    `maxTemplates of the account is ${most}, and it has as many templates that are not archived: archive or delete one, ` +
      'or have the limit raised.',
  );
}
