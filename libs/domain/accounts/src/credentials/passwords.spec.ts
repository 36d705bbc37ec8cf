import { inRequestOf } from '@passwright/core';
import { AccountsOptions } from '../accounts.options.js';
import { Passwords } from './passwords.service.js';

it('Passwords alternates between IP addresses, so that many logins from one do not delay a login from another', async () => {
  const passwords = new Passwords({} as AccountsOptions);
  await passwords.onModuleInit();
  const ended: string[] = [];
  const login = (ip: string) =>
    inRequestOf({ ip, requestId: ip }, () => passwords.check('a guess', () => Promise.resolve(null))).then(() =>
      ended.push(ip),
    );
  const many = Array.from({ length: 20 }, () => login('192.0.2.1'));
  await Promise.all([...many, login('192.0.2.2')]);
  expect(ended).toHaveLength(21);
  // The check of the second IP address waits only for the running checks and one check of the first IP address.
  expect(ended.indexOf('192.0.2.2')).toBeLessThan(20 / 2);
});

it.each([
  [1, 1],
  [5, 2],
])(
  'Passwords checks passwords on about half of the cores: with %i cores, it runs %i checks at a time',
  async (cores, width) => {
    const passwords = new Passwords({ cores } as AccountsOptions);
    await passwords.onModuleInit();
    let [running, most] = [0, 0];
    const find = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return null;
    };
    const logins = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].flatMap((ip) => [ip, ip]);
    await Promise.all(logins.map((ip) => inRequestOf({ ip, requestId: ip }, () => passwords.check('a guess', find))));
    expect(most).toBe(width);
  },
);
