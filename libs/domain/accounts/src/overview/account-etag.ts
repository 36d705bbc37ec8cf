import { createHash } from 'node:crypto';
import { requireSettingsMatch, Tagged, type IfMatch } from '@passwright/core';
import type { AccountResponse } from './account.dto.js';

/** The settings that a patch of the account can change. */
interface AccountSettings {
  readonly name: string;
  readonly industry?: string | null;
}

/**
 * Returns the account with its ETag: a hash of the settings and a hash of the whole response. A conditional read
 * compares both. A conditional change compares only the first, because the response changes with every new pass.
 */
export function taggedAccount(account: AccountResponse): Tagged<AccountResponse> {
  return new Tagged(account, `"${settingsPart(account)}.${hashOf(account)}"`);
}

/**
 * Requires that the settings have not changed since the caller read them. Lock the account's row first. @throws
 * PreconditionFailed
 */
export function requireSettings(ifMatch: IfMatch, current: AccountSettings): void {
  requireSettingsMatch(ifMatch, 'account', settingsPart(current));
}

function settingsPart({ name, industry = null }: AccountSettings): string {
  return hashOf([name, industry]);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}
