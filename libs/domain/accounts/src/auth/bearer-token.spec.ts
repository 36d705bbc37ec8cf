import { Unauthorized } from '@passwright/core';
import fc from 'fast-check';
import { bearerToken } from './bearer-token.js';

const read = (...authorization: string[]) => bearerToken({ headersDistinct: { authorization } });

describe('the credential of a request', () => {
  it('bearerToken returns the text after the authorization scheme, whether the scheme is in upper or lower case', () => {
    for (const header of ['Bearer a.b-c_d', 'bearer a.b-c_d', 'BEARER  a.b-c_d ']) expect(read(header)).toBe('a.b-c_d');
  });

  it('401 unauthorized for a missing, repeated or overlong credential, with a different message for each', () => {
    expect(() => bearerToken({ headersDistinct: {} })).toThrow('Authorization: Bearer <token>');
    expect(() => read('Bearer a', 'Bearer a')).toThrow('one Authorization header');
    expect(() => read(`Bearer ${'a'.repeat(1024)}`)).toThrow('longer than 1024');
  });

  it('401 unauthorized for any other authorization header', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(() => read(text)).toThrow(Unauthorized)));
    for (const header of ['Bearer', 'Bearer a b', 'Basic YTpi', 'a', `Bearer ${' '.repeat(1000)}!`]) {
      expect(() => read(header)).toThrow(Unauthorized);
    }
  });
});
