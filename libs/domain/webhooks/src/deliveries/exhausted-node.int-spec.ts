import { WebhooksWorld } from './deliveries.fixtures.js';
import { DeliveriesService } from './deliveries.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';

let world: WebhooksWorld;
beforeAll(async () => (world = await WebhooksWorld.start()));
afterAll(() => world.stop());

it('a node without free file handles counts no attempts, and sends all deliveries seconds later', async () => {
  const hook = await world.webhook();
  await world.happen(hook, 99);
  const sender = world.get(WebhookSenderService);
  Object.assign(sender, { isExhausted: true });
  await world.send(hook);
  Object.assign(sender, { isExhausted: false });
  const { data } = await world.get(DeliveriesService).list(hook, { limit: 100, status: 'pending' });
  expect(data.map(({ attempts, problem }) => ({ attempts, problem }))).toEqual(
    new Array(99).fill({ attempts: 0, problem: null }),
  );
  expect(await world.jobsFor(hook)).toEqual([new Date(world.clock.now().getTime() + 5000)]);
  await world.send(hook);
  expect(world.receiver.received).toHaveLength(99);
});
