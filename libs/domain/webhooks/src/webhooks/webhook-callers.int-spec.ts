import { ApiKeysService } from '@passwright/accounts';
import { Forbidden, type Principal, scopes, Unauthorized } from '@passwright/core';
import { adminOf, WebhooksWorld } from '../deliveries/deliveries.fixtures.js';
import { DataSource } from 'typeorm';
import type { WebhookPatch } from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

let world: WebhooksWorld;
beforeAll(async () => {
  world = await WebhooksWorld.start();
});
afterAll(() => world.stop());

it('401 unauthorized if a revoked key changes the address of a webhook, but not if it changes the name', async () => {
  const { accountId, webhookId, url } = await world.webhook();
  const [keys, webhooks] = [world.get(ApiKeysService), world.get(WebhooksService)];
  const { id } = await keys.create(adminOf(accountId), { name: 'Leaked', scopes: [...scopes] });
  const caller: Principal = { kind: 'apiKey', id, accountId, scopes };
  await webhooks.update(caller, webhookId, { url: 'https://crm.example.com/' }, null);
  await keys.revoke(accountId, id);
  await expect(webhooks.create(caller, { url })).rejects.toThrow(Unauthorized);
  await expect(webhooks.update(caller, webhookId, { url }, null)).rejects.toThrow(Unauthorized);
  expect(await webhooks.update(caller, webhookId, { name: 'CRM' }, null)).toMatchObject({ name: 'CRM' });
  expect((await webhooks.list(accountId, { limit: 20 })).data).toMatchObject([{ url: 'https://crm.example.com/' }]);
});

it('403 forbidden if a key narrows the types of a webhook to get events of an open transaction at another address', async () => {
  const { accountId, webhookId, url } = await world.webhook();
  const webhooks = world.get(WebhooksService);
  const allowed: Principal['scopes'] = ['account:read', 'account:write'];
  const { id } = await world.get(ApiKeysService).create(adminOf(accountId), { name: 'CRM', scopes: [...allowed] });
  const caller: Principal = { kind: 'apiKey', id, accountId, scopes: allowed };
  const attempt = (patch: WebhookPatch) =>
    webhooks.update(caller, webhookId, patch, null).catch((error: unknown) => error);
  const results = await world.get(DataSource).transaction(async (tx) => {
    await tx.query(`SELECT record_webhook_event($1, 'pass.created', '{}')`, [accountId]);
    return [await attempt({ types: ['certificate.expired'] }), await attempt({ url: 'https://own.example.com/' })];
  });
  expect(results).toEqual([expect.any(Forbidden), expect.any(Forbidden)]);
  expect((await webhooks.list(accountId, { limit: 20 })).data).toMatchObject([{ url, types: null, pending: 1 }]);
});
