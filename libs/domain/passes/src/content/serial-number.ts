import { accountOfPart, accountPart, randomId } from '@passwright/core';

const form = /^[0-9A-Za-z]{16}([0-9A-Za-z]{22})$/;

/**
 * Returns the serial number of a new pass. It consists of 16 random characters and the account, so that requests of
 * phones contain the account. It is short, because a save link for ten passes has at most 1,800 characters. If the
 * account id does not have the service's own format, the number is only random.
 */
export function newSerialNumber(accountId: string): string {
  const account = accountPart(accountId);
  return account ? randomId().slice(0, 16) + account : randomId();
}

/**
 * Returns the account in a serial number. Returns null if the number is only random, because an earlier version issued
 * the pass or the account id does not have the service's own format.
 */
export function accountOfSerialNumber(serialNumber: string): string | null {
  return accountOfPart(form.exec(serialNumber)?.[1]);
}
