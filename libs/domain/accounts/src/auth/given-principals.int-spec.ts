import { ACCESS, inRequestOf, type Access, type AuthenticatedRequest, type Principal } from '@passwright/core';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuthGuard } from './auth.guard.js';

type HostRequest = AuthenticatedRequest & { method: string };

const write: Access = { kind: 'scope', scopes: ['passes:write'] };

let node: AccountsNode;
let user: Registered;
let writer: Principal;
beforeAll(async () => {
  node = await AccountsNode.start();
});
beforeEach(async () => {
  user = await node.register();
  writer = { kind: 'apiKey', id: 'key-of-the-host', accountId: user.accountId, scopes: ['passes:write'] };
});
afterAll(() => node.stop());

/** Runs the guard for a route with this rule, after a guard of the app has set properties of the request. */
async function activate(access: Access | null, request: HostRequest): Promise<boolean> {
  class Route {}
  const handler = () => undefined;
  if (access) Reflect.defineMetadata(ACCESS, access, handler);
  const context = {
    getClass: () => Route,
    getHandler: () => handler,
    switchToHttp: () => ({ getRequest: () => request }),
  };
  return node.app.get(AuthGuard).canActivate(context as never);
}

it('the audit trail records a principal of the host app, and the limits of the account’s founder apply to it', async () => {
  const origin = { ip: undefined, requestId: 'r' };
  const request: HostRequest = { method: 'POST', principal: writer };
  await expect(inRequestOf(origin, () => activate(write, request))).resolves.toBe(true);
  const share = await node.app.get(AccountsService).shareOf(user.accountId);
  expect(share).not.toBe(user.accountId);
  expect({ origin, share: request.share }).toEqual({
    origin: { ip: undefined, requestId: 'r', principal: writer, share },
    share,
  });
});

it('403 forbidden for a principal of the host app if the principal lacks the scope or is of the wrong kind', async () => {
  const reader: Principal = { ...writer, scopes: ['passes:read'] };
  await expect(activate(write, { method: 'POST', principal: reader })).rejects.toMatchObject({ statusCode: 403 });
  await expect(activate({ kind: 'user' }, { method: 'GET', principal: writer })).rejects.toMatchObject({
    code: 'forbidden',
  });
  const person: Principal = { ...writer, kind: 'user' };
  await expect(
    activate({ kind: 'scope', scopes: [], apiKeyOnly: true }, { method: 'GET', principal: person }),
  ).rejects.toMatchObject({ code: 'api_key_required' });
});

it('a principal of the host app without an account causes an error, and does not reach any route', async () => {
  const principal = { ...writer, accountId: undefined } as unknown as Principal;
  await expect(activate(write, { method: 'GET', principal })).rejects.toThrow('request.principal.accountId');
  await expect(activate(null, { method: 'GET', principal: writer })).rejects.toThrow('declares no access rule');
});

it('a long request of a host app’s principal ends if the app revokes the principal or a user deletes the account', async () => {
  let isRevoked = false;
  const recheckAccess = () => (isRevoked ? Promise.reject(new Error('revoked by the app')) : Promise.resolve());
  const request: HostRequest = { method: 'POST', principal: writer, recheckAccess };
  await activate(write, request);
  await expect(request.recheckAccess?.()).resolves.toBeUndefined();
  isRevoked = true;
  await expect(request.recheckAccess?.()).rejects.toThrow('revoked by the app');
  isRevoked = false;
  const { accessToken: token, password } = user;
  expect((await node.call('delete', '/v1/account', { token, body: { password } })).status).toBe(202);
  await expect(request.recheckAccess?.()).rejects.toMatchObject({ statusCode: 403 });
  await expect(activate(write, { method: 'POST', principal: writer })).rejects.toMatchObject({ statusCode: 403 });
  await expect(activate(write, { method: 'GET', principal: writer })).resolves.toBe(true);
});

it('403 forbidden for a supervised key on every route whose rule does not admit supervised keys', async () => {
  const principal: Principal = { ...writer, supervised: true };
  const rules: Access[] = [write, { kind: 'caller' }, { kind: 'caller', supervised: false }];
  for (const rule of rules) {
    await expect(activate(rule, { method: 'POST', principal })).rejects.toMatchObject({ code: 'forbidden' });
  }
  const admitting: Access = { kind: 'caller', supervised: true };
  await expect(activate(admitting, { method: 'POST', principal })).resolves.toBe(true);
  await expect(activate({ kind: 'caller' }, { method: 'POST', principal: writer })).resolves.toBe(true);
});
