import { accountOfPart, accountPart, randomId } from '@passwright/core';

const form = /^[0-9A-Za-z]{16}([0-9A-Za-z]{22})$/;

/**
 * Returns the serial number of a new pass: 16 random characters and the account, so that phones name the account in
 * each request. It is short, because a save link for ten passes has at most 1,800 characters. Omits an account id that
 * does not have the service's own format.
 */
export function newSerialNumber(accountId: string): string {
  const account = accountPart(accountId);
  return account ? randomId().slice(0, 16) + account : randomId();
}

/**
 * Returns the account in a serial number; null if it contains none, because an earlier version issued it or the
 * account's id does not have the service's own format.
 */
export function accountOfSerialNumber(serialNumber: string): string | null {
  return accountOfPart(form.exec(serialNumber)?.[1]);
}
