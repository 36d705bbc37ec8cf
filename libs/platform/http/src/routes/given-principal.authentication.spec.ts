import type { ExecutionContext } from '@nestjs/common';
import {
  inRequestOf,
  Public,
  RequireApiKey,
  RequireCaller,
  RequireScope,
  RequireUser,
  type AuthenticatedRequest,
  type Principal,
  type RequestOrigin,
} from '@passwright/core';
import { GivenPrincipalAuthentication } from './given-principal.authentication.js';

class Routes {
  @Public()
  open(): void {
    return;
  }

  @RequireScope('passes:write')
  write(): void {
    return;
  }

  @RequireApiKey('passes:write')
  byKey(): void {
    return;
  }

  @RequireUser()
  byUser(): void {
    return;
  }

  @RequireCaller()
  byAny(): void {
    return;
  }

  undeclared(): void {
    return;
  }
}

const reader: Principal = { kind: 'apiKey', id: 'key-1', accountId: 'museum', scopes: ['passes:read'] };
const writer: Principal = { ...reader, scopes: ['passes:write'] };
const user: Principal = { ...writer, kind: 'user', id: 'ada' };

function activate(route: keyof Routes, request: AuthenticatedRequest): boolean {
  const context = {
    getClass: () => Routes,
    getHandler: () => Routes.prototype[route],
    switchToHttp: () => ({ getRequest: () => request }),
  };
  return new GivenPrincipalAuthentication().canActivate(context as unknown as ExecutionContext);
}

it('the access rules admit a principal that the app has set', () => {
  expect(activate('open', {})).toBe(true);
  expect(activate('write', { principal: writer })).toBe(true);
  expect(activate('byKey', { principal: writer })).toBe(true);
  expect(activate('byUser', { principal: user })).toBe(true);
  expect(activate('byAny', { principal: reader })).toBe(true);
});

it('401 unauthorized on every route that requires a principal, if the app has set none', () => {
  for (const route of ['write', 'byKey', 'byUser', 'byAny'] as const) {
    expect(() => activate(route, {})).toThrow(expect.objectContaining({ code: 'unauthorized' }));
  }
});

it('403 forbidden for a principal that lacks the scope or has the wrong kind', () => {
  expect(() => activate('write', { principal: reader })).toThrow('The API key lacks the scope passes:write.');
  expect(() => activate('byUser', { principal: writer })).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(() => activate('byKey', { principal: user })).toThrow(expect.objectContaining({ code: 'api_key_required' }));
});

it('a route without an access rule fails for every principal, because that is a programming error', () => {
  expect(() => activate('undeclared', { principal: writer })).toThrow('Routes.undeclared declares no access rule');
});

it.each([
  ['kind', { kind: 'admin' }],
  ['id', { id: '' }],
  ['accountId', { accountId: undefined }],
  ['scopes', { scopes: undefined }],
  ['scopes', { scopes: ['everything'] }],
])(
  'a principal with a wrong %s fails as a programming error, and the message names the property',
  (property, change) => {
    const principal = { ...writer, ...change } as unknown as Principal;
    for (const route of ['open', 'byAny'] as const) {
      expect(() => activate(route, { principal })).toThrow(`request.principal.${property}, which must be`);
    }
  },
);

it('a request counts toward the tenant that the app has set, or else toward the principal’s account', () => {
  for (const [share, expected] of [
    [undefined, 'museum'],
    ['group', 'group'],
  ]) {
    const origin: RequestOrigin = { ip: undefined, requestId: 'r' };
    const request: AuthenticatedRequest = { principal: writer, ...(share && { share }) };
    inRequestOf(origin, () => activate('write', request));
    expect([origin.principal, origin.share, request.share]).toEqual([writer, expected, expected]);
  }
});
