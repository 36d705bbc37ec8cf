import { setTimeout as pause } from 'node:timers/promises';
import { EventLoopLoad } from './event-loop-load.js';

const until = (ms: number) => performance.now() + ms;

it('EventLoopLoad reports a busy or an idle event loop after a tenth of a second', async () => {
  const load = new EventLoopLoad();
  expect(load.isBusy()).toBe(false);
  for (const end = until(150); performance.now() < end;);
  await pause(0);
  expect(load.isBusy()).toBe(true);
  // Repeat the pause, because other work may keep the event loop busy during the first pauses.
  for (const end = until(5000); load.isBusy() && performance.now() < end;) await pause(120);
  expect(load.isBusy()).toBe(false);
});
