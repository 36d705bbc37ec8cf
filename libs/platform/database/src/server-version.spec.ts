import { requireSupportedServer } from './server-version.js';

it.each([140000, 140005, 160002, 180000])('takes server version %i', (number) => {
  expect(() => requireSupportedServer(number, 'new')).not.toThrow();
});

it.each([
  [139999, '13.99'],
  [90624, '9.6.24'],
])('refuses server version %i and says which one it is', (number, name) => {
  expect(() => requireSupportedServer(number, name)).toThrow(`needs Postgres 14 or newer; this server is ${name}.`);
});

it('refuses what does not tell a version', () => {
  expect(() => requireSupportedServer(NaN, 'unknown')).toThrow('this server is unknown');
});
