import { createHash } from 'node:crypto';
import { requireMatch, Tagged, type IfMatch } from '@passwright/core';
import type { AccountResponse } from './account.dto.js';

/** What a patch of the account changes. */
interface AccountSettings {
  readonly name: string;
  readonly industry?: string | null;
}

/**
 * The account with its tag: first of its settings, then of all that is read with them. The whole tells whether the reader has it
 * already; usage goes up with every pass, so that a change is held against the settings alone.
 */
export function taggedAccount(account: AccountResponse): Tagged<AccountResponse> {
  return new Tagged(account, `"${settingsPart(account)}.${hashOf(account)}"`);
}

/** Call it with the row locked. @throws PreconditionFailed when the settings are other ones than were read */
export function requireSettings(ifMatch: IfMatch, current: AccountSettings): void {
  const parts = ifMatch?.map((tag) => tag.replace(/^(?:W\/)?("[^".]*)\.[^"]*"$/, '$1"')) ?? null;
  requireMatch(parts, 'account', `"${settingsPart(current)}"`);
}

function settingsPart({ name, industry = null }: AccountSettings): string {
  return hashOf([name, industry]);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
