import { requireSupportedServer } from './server-version.js';

it.each([140000, 140005, 160002, 180000])('requireSupportedServer accepts version %i', (number) => {
  expect(() => requireSupportedServer(number, 'new')).not.toThrow();
});

it.each([
  [139999, '13.99'],
  [90624, '9.6.24'],
])('requireSupportedServer rejects version %i and names it', (number, name) => {
  expect(() => requireSupportedServer(number, name)).toThrow(`needs Postgres 14 or newer; this server is ${name}.`);
});

it('requireSupportedServer rejects a server that reports no version', () => {
  expect(() => requireSupportedServer(NaN, 'unknown')).toThrow('this server is unknown');
});
