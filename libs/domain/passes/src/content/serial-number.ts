import { accountOfPart, accountPart, randomId } from '@passwright/core';

const form = /^[0-9A-Za-z]{16}([0-9A-Za-z]{22})$/;

/**
 * Returns the serial number of a new pass: 16 random characters and the account, so that phones name the account.
 * Short, because a save link of ten passes has at most 1,800 characters. For an account whose id is not from this
 * service, the number is only random.
 */
export function newSerialNumber(accountId: string): string {
  const account = accountPart(accountId);
  return account ? randomId().slice(0, 16) + account : randomId();
}

/**
 * Returns the account that a serial number names. Null if the number is only random: an earlier version of the service
 * has issued the pass, or the account's id does not have the form of this service.
 */
export function accountOfSerialNumber(serialNumber: string): string | null {
  return accountOfPart(form.exec(serialNumber)?.[1]);
}
