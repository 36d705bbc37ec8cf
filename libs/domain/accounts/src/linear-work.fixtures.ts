import type { WorkCase } from '@passwright/testing';
import { returnAddress } from './oidc/return-address.js';
import { EncryptedCookie } from './oidc/encrypted-cookie.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const options = { baseUrl: 'https://passes.example.com', accessTokenSecret: 'x'.repeat(32) };
const cookie = new EncryptedCookie(options, 'sign-in', 'test', { now: () => new Date() });

/** The parsers of this package, each with the input that takes it the longest. */
export const cases: readonly WorkCase[] = [
  ['cookies', repeated('a=b; '), (header: string) => cookie.open(header)],
  ['cookies without a value', repeated(';'), (header: string) => cookie.open(header)],
  ['one long cookie', repeated('A'), (value: string) => cookie.open(`__Host-sign-in=${value}`)],
  ['the same cookie many times', repeated('__Host-sign-in=A; '), (header: string) => cookie.open(header)],
  ['an address to return to', repeated('/..'), (path: string) => returnAddress(`https://example.com${path}`, [])],
  ['fragments of an address to return to', repeated('#'), (text: string) => returnAddress(`https://a.b/${text}`, [])],
  [
    'a query of an address to return to',
    repeated('a=%20&'),
    (query: string) => returnAddress(`https://a.b/?${query}`, ['https://a.b/']),
  ],
];
