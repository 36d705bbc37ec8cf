import { newId, randomId } from '@passwright/core';
import { accountOfSerialNumber, newSerialNumber } from './serial-number.js';

it('a serial number is random, contains the account of its pass, and needs no escaping in a URL', () => {
  const accountId = newId('acc');
  const serials = Array.from({ length: 100 }, () => newSerialNumber(accountId));
  expect(new Set(serials.map((serial) => serial.slice(0, 8))).size).toBe(100);
  for (const serial of serials) {
    expect(serial).toMatch(/^[0-9A-Za-z]{38}$/);
    expect(accountOfSerialNumber(serial)).toBe(accountId);
  }
});

it('a serial number contains no account if an earlier version issued it, or if the app chose the id of the account', () => {
  expect(newSerialNumber('museum')).toMatch(/^[0-9A-Za-z]{22}$/);
  for (const serial of [randomId(), newSerialNumber('museum'), `${randomId()}.${randomId()}`, ''])
    expect(accountOfSerialNumber(serial)).toBeNull();
});
