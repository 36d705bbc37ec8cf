import { Logger } from '@nestjs/common';
import { testDatabase } from '@passwright/testing';
import { DatabaseWay } from '../database-way.fixtures.js';
import { startApp } from '../jobs.fixtures.js';
import { QueuePool } from './queue-pool.js';

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

it('a listener that gets no connection because the pool has ended may release it all the same', async () => {
  const { url } = await testDatabase();
  const pool = new QueuePool(url, 1, new Logger('Jobs'));
  await pool.end();
  const failure = await new Promise<unknown>((resolve) => {
    pool.connect((error, _client, release) => {
      expect(() => release?.()).not.toThrow();
      resolve(error);
    });
  });
  expect(failure).toMatchObject({ message: 'Cannot use a pool after calling end on the pool' });
});
