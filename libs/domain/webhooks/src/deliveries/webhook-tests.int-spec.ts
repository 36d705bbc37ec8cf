import { RateLimited } from '@passwright/core';
import { WebhooksWorld } from './deliveries.fixtures.js';
import { WebhookSenderService } from './webhook-sender.service.js';
import { WebhookTestsService } from './webhook-tests.service.js';

let world: WebhooksWorld;
beforeAll(async () => {
  world = await WebhooksWorld.start();
});
afterAll(() => world.stop());

const test = (hook: Awaited<ReturnType<WebhooksWorld['webhook']>>) => world.get(WebhookTestsService).send(hook);

it('429 rate_limited for more than a hundred tests an hour from one founder’s accounts, but not for another account', async () => {
  const [first, second, stranger] = [await world.webhook(), await world.webhook(), await world.webhook()];
  await world.db.query(
    'INSERT INTO account_member (account_id, uid, is_admin, created_at) VALUES ($1, $2, true, now())',
    [second.accountId, first.accountId],
  );
  await world.db.query('UPDATE account SET founder = $1 WHERE id = ANY($2)', [
    first.accountId,
    [first.accountId, second.accountId],
  ]);
  for (let n = 0; n < 50; n++) await Promise.all([test(first), test(second)]);
  await expect(test(second)).rejects.toThrow(RateLimited);
  await expect(test(first)).rejects.toThrow(RateLimited);
  expect(await test(stranger)).toMatchObject({ delivered: true });
  expect(world.receiver.received).toHaveLength(101);
});

it('a webhook test returns the same problem for a receiver that hangs, disconnects, does not use TLS or does not exist', async () => {
  const [hook, secure] = [await world.webhook(), await world.webhook({ url: `https://${world.receiver.host}/` })];
  Object.assign(world.get(WebhookSenderService), { timeoutMs: 300 });
  world.receiver.respond = () => undefined;
  const outcomes = [await test(hook)];
  world.receiver.respond = (response) => response.socket?.destroy();
  outcomes.push(await test(hook), await test(secure));
  world.receiver.stop();
  outcomes.push(await test(hook));
  const problem = 'No response arrived within 0.3 s: check its host, port and certificate.';
  for (const outcome of outcomes) expect(outcome).toMatchObject({ delivered: false, statusCode: null, problem });
});
