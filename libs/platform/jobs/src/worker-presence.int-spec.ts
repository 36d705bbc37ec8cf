import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { testDatabase } from '@passwright/testing';
import type { Claimant } from './outbound/claimant.service.js';
import { WorkerPresence } from './worker-presence.js';

const LOST_AFTER_MS = 1000;

/** Stops this process for a while, as the suspension of the whole machine does. */
function suspend(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('a worker that gives up its jobs is shown again, even if its connection has survived', async () => {
  const { url } = await testDatabase();
  let whenShownAgain: () => void = () => undefined;
  const isShownAgain = new Promise<void>((resolve) => (whenShownAgain = resolve));
  let beats = 0;
  const presence: WorkerPresence = new WorkerPresence({
    url,
    schema: null,
    workerIds: ['survivor'],
    claimant: { id: 7, isShown: false } as Claimant,
    lostAfterMs: LOST_AFTER_MS,
    beatMs: 20,
    beat: async (client) => {
      beats += 1;
      if (beats === 3) setImmediate(() => suspend(LOST_AFTER_MS));
      // After the suspension, the server responds, but only after the worker has given up its jobs.
      if (beats === 4 && !presence.signal.aborted) await once(presence.signal, 'abort');
      await client.query('SELECT');
    },
    onLost: () => undefined,
    onShownAgain: () => Promise.resolve(whenShownAgain()),
    logger: new Logger('Jobs'),
  });
  await presence.shown();
  const { signal } = presence;
  await isShownAgain;
  await presence.shown();
  expect([signal.aborted, presence.signal.aborted]).toEqual([true, false]);
  await presence.stop();
});
