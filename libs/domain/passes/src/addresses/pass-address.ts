import { callerChosenId } from '@passwright/core';

/** The address of one pass in the installation. */
export interface PassAddress {
  readonly accountId: string;
  readonly templateId: string;
  readonly passId: string;
}

/**
 * Returns false for the address of a pass that cannot exist. Call it before a query, because Postgres rejects texts
 * with NUL.
 */
export function canExist({ accountId, templateId, passId }: PassAddress): boolean {
  return [accountId, templateId, passId].every((id) => callerChosenId.test(id));
}
