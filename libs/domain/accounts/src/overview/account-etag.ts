import { requireSettingsMatch, settingsTag, Tagged, type IfMatch } from '@passwright/core';
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
  return new Tagged(account, settingsTag(settingsOf(account), account));
}

/**
 * Requires that the settings have not changed since the caller read them. Lock the account's row first. @throws
 * PreconditionFailed
 */
export function requireSettings(ifMatch: IfMatch, current: AccountSettings): void {
  requireSettingsMatch(ifMatch, 'account', settingsOf(current));
}

function settingsOf({ name, industry = null }: AccountSettings): unknown {
  return [name, industry];
}
