import { testDatabase } from '@passwright/testing';
import { DatabaseWay } from '../database-way.fixtures.js';
import { startApp } from '../jobs.fixtures.js';

it('a worker that stops while a listener connects survives the loss of the connection', async () => {
  const { url } = await testDatabase();
  const way = await DatabaseWay.open(url);
  const held = way.hold('LISTEN "jobs:insert"');
  const { app } = await startApp({ url: way.url, stopWithinMs: 300 });
  const request = await held;
  const closed = app.close();
  request.lose();
  await expect(closed).resolves.toBeUndefined();
  way.close();
});
