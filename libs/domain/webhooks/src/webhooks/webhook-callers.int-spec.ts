import { ApiKeysService } from '@passwright/accounts';
import { type Principal, scopes, Unauthorized } from '@passwright/core';
import { adminOf, WebhooksWorld } from '../deliveries/deliveries.fixtures.js';
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
