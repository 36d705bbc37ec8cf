import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ACCESS } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsNode, type Registered } from '../accounts.fixtures.js';
import { AuthGuard } from './auth.guard.js';
import { Authenticator } from './authenticator.service.js';

describe('the auth guard', () => {
  let node: AccountsNode;
  let user: Registered;

  beforeAll(async () => {
    node = await AccountsNode.start();
    user = await node.register();
  });
  afterAll(() => node.stop());

  const withHeader = (value: string) => node.call('get', '/routes/user').set('Authorization', value);

  it('the auth guard admits every caller to a public route, with any credential', async () => {
    expect((await node.call('get', '/routes/public', { token: 'nonsense' })).status).toBe(200);
  });

  it('the auth guard rejects every request to a route without a declared access rule', async () => {
    const { status } = await node.call('get', '/routes/undeclared', { token: user.accessToken });
    expect(status).toBe(500);
  });

  it('the auth guard accepts the authorization scheme in upper or lower case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect((await withHeader(`${scheme} ${user.accessToken}`)).status).toBe(200);
    }
  });

  it('401 unauthorized with WWW-Authenticate for a credential that is missing, malformed or too long', async () => {
    const bad = ['Bearer', 'Bearer ', user.accessToken, `Basic ${user.accessToken}`, 'Bearer a b', 'Bearer ü'];
    const responses = [await node.call('get', '/routes/user')];
    for (const value of [...bad, `Bearer ${'x'.repeat(2000)}`]) responses.push(await withHeader(value));
    for (const { body, headers } of responses) {
      expect(body).toMatchObject({ statusCode: 401, code: 'unauthorized', error: 'Unauthorized' });
      expect(headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('401 unauthorized for a repeated header', async () => {
    const { port } = (node.app.getHttpServer().address() ?? {}) as AddressInfo;
    const authorization = [`Bearer ${user.accessToken}`, `Bearer ${user.accessToken}`];
    const status = await new Promise((resolve, reject) => {
      httpRequest({
        port,
        path: '/routes/user',
        headers: ['Host', 'x', ...authorization.flatMap((v) => ['Authorization', v])] as never,
      })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(401);
  });

  it('the auth guard looks up a credential once for many long requests that recheck it at the same time', async () => {
    const authenticator = node.app.get(Authenticator);
    const principal = await authenticator.authenticate(user.accessToken, undefined);
    const { master } = node.app.get(DataSource).driver as unknown as { master: { query: () => Promise<unknown> } };
    const queries = jest.spyOn(master, 'query');
    await Promise.all(Array.from({ length: 50 }, () => authenticator.recheck(principal, user.accessToken)));
    expect(queries).toHaveBeenCalledTimes(1);
    queries.mockRestore();
  });

  it('401 unauthorized for a long request with an API key’s old secret, even while another request uses the new secret', async () => {
    const authenticator = node.app.get(Authenticator);
    const { id, key } = await node.createKey(user);
    const principal = await authenticator.authenticate(key, undefined);
    const { body } = await node.call('post', `/v1/auth/keys/${id}/rotate`, { token: user.accessToken });
    const looks = [body.key as string, key, body.key as string].map((token) => authenticator.recheck(principal, token));
    const [present, former, again] = await Promise.allSettled(looks);
    expect(former).toMatchObject({ status: 'rejected', reason: { code: 'unauthorized' } });
    expect([present, again]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  });

  it('403 forbidden for a request in progress as soon as the deletion of its account begins', async () => {
    const owner = await node.register();
    const handler = () => undefined;
    Reflect.defineMetadata(ACCESS, { kind: 'scope', scopes: ['passes:write'] }, handler);
    const headersDistinct = { authorization: [`Bearer ${owner.accessToken}`] };
    const request = { method: 'POST', headersDistinct } as { recheckAccess?: () => Promise<void> };
    const context = { getHandler: () => handler, switchToHttp: () => ({ getRequest: () => request }) };
    const guard = node.app.get(AuthGuard);
    expect(await guard.canActivate(context as never)).toBe(true);
    const { accessToken: token, password } = owner;
    expect((await node.call('delete', '/v1/account', { token, body: { password } })).status).toBe(202);
    await expect(request.recheckAccess?.()).rejects.toMatchObject({ statusCode: 403 });
  });

  it('403 forbidden for an API key on a route for users', async () => {
    const { key } = await node.createKey(user);
    expect((await node.call('get', '/routes/user', { token: key })).body).toMatchObject({ code: 'forbidden' });
  });
});
