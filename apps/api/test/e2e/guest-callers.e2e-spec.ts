import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AccountsService } from '@passwright/accounts';
import { isPasswrightRoute, type AuthenticatedRequest, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { drawImagesOnce, testDatabase } from '@passwright/testing';
import sharp from 'sharp';
import { DataSource } from 'typeorm';
import { guestModules } from '../support/guest-modules.js';
import { startHost } from '../support/host-app.js';
import { sendRaw } from '../support/raw-request.js';

drawImagesOnce(sharp);

const baseUrl = 'http://passes.example.com/api';
const dir = mkdtempSync(join(tmpdir(), 'passwright guest '));
const agent = new Agent();

/** Identifies callers by a header that only this app knows. */
@Injectable()
class HostSessions implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest & { headers: Record<string, string> }>();
    const session = request.headers['x-session'];
    if (isPasswrightRoute(context.getClass()) && session) request.principal = JSON.parse(session) as Principal;
    return true;
  }
}

let host: NestExpressApplication;
let accountId: string;
let admin: Principal;

beforeAll(async () => {
  const { url } = await testDatabase();
  class Sessions {}
  const sessions = { module: Sessions, providers: [{ provide: APP_GUARD, useClass: HostSessions }] };
  host = await startHost(url, [sessions, ...guestModules(url, baseUrl, dir)]);
  await host.get(DataSource).query('DELETE FROM rate_limit');
  const created = await host
    .get(Database)
    .transaction((tx) => host.get(AccountsService).create(tx, { name: 'Museum' }));
  accountId = created.id;
  admin = { kind: 'user', id: 'ada-of-the-host', accountId, scopes: ['account:read', 'account:write'] };
});
afterAll(async () => {
  agent.destroy();
  await host.close();
  rmSync(dir, { recursive: true, force: true });
});

async function call(method: string, target: string, principal: object | null, body?: object) {
  const { port } = host.getHttpServer().address() as AddressInfo;
  const { status, text } = await sendRaw(`http://127.0.0.1:${port}`, agent, {
    method,
    target,
    headers: {
      Host: 'passes.example.com',
      ...(principal && { 'X-Session': JSON.stringify(principal) }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status, body: JSON.parse(text) };
}

it('the audit trail names the caller that the app has identified, in whatever form the request spells the path', async () => {
  const targets = ['/api/v1/account', '/API/V1/Account', 'http://passes.example.com/api/v1/account'];
  for (const [index, target] of targets.entries()) {
    expect(await call('PATCH', target, admin, { name: `Gallery ${index}` })).toMatchObject({ status: 200 });
  }
  const { body } = await call('GET', '/api/v1/account/events?action=account.changed', admin);
  const events = body.data as object[];
  expect(events.length).toBeGreaterThanOrEqual(targets.length);
  for (const event of events) {
    expect(event).toMatchObject({ actor: { kind: 'user', id: 'ada-of-the-host' }, ip: '127.0.0.1' });
  }
});

it('404 route_not_found for a change under an unusual spelling of a path, because the audit trail could not record it', async () => {
  const target = `http://${'a'.repeat(700)}/api/v1/account`;
  const { status, body } = await call('PATCH', target, admin, { name: 'Nobody' });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'route_not_found' });
  const { body: account } = await call('GET', '/api/v1/account', admin);
  expect(account.name).not.toBe('Nobody');
});

it('403 forbidden for a caller without the scope of a route, 403 api_key_required for a caller of the wrong kind', async () => {
  const reader = { ...admin, kind: 'apiKey', id: 'key', scopes: ['account:read'] };
  expect(await call('GET', '/api/v1/account', reader)).toMatchObject({ status: 200 });
  const change = await call('PATCH', '/api/v1/account', reader, { name: 'Taken' });
  expect(change).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  const members = await call('GET', '/api/v1/memberships/members', { ...admin, scopes: ['members:read'] });
  expect(members).toMatchObject({ status: 403, body: { code: 'api_key_required' } });
});

it('500 internal for an invalid principal, such as one without an account', async () => {
  for (const change of [{ accountId: '' }, { accountId: null }, { scopes: 'all' }, { id: 7 }]) {
    const { status, body } = await call('GET', '/api/v1/account', { ...admin, ...change });
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' });
  }
});
