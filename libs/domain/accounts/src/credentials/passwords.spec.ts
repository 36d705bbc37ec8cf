import { inRequestOf } from '@passwright/core';
import { Passwords } from './passwords.service.js';

it('lets an address take its turn beside another address with many logins', async () => {
  const passwords = new Passwords();
  await passwords.onModuleInit();
  const ended: string[] = [];
  const login = (ip: string) =>
    inRequestOf({ ip, requestId: ip }, () => passwords.check('a guess', () => Promise.resolve(null))).then(() =>
      ended.push(ip),
    );
  const many = Array.from({ length: 20 }, () => login('192.0.2.1'));
  await Promise.all([...many, login('192.0.2.2')]);
  expect(ended).toHaveLength(21);
  // At most the running checks, and one of the other address, finish first.
  expect(ended.indexOf('192.0.2.2')).toBeLessThan(20 / 2);
});
