import { Logger } from '@nestjs/common';
import { FixedClock, MemoryStorage } from '@passwright/testing';
import { StoppedWorkers } from './stopped-workers.js';

const clock = new FixedClock('2026-11-26T09:00:00.000Z');

it('StoppedWorkers returns the time when a worker stopped, plus a margin, until its note is deleted', async () => {
  const stopped = new StoppedWorkers(new MemoryStorage(), clock, new Logger('Jobs'));
  await stopped.note(['worker-1']);
  expect(await stopped.stoppedUntil('worker-1')).toEqual(new Date('2026-11-26T09:00:02.000Z'));
  expect(await stopped.stoppedUntil('worker-2')).toBeNull();
  await stopped.forget(['worker-1']);
  expect(await stopped.stoppedUntil('worker-1')).toBeNull();
});

it('StoppedWorkers ignores a note without a time', async () => {
  const storage = new MemoryStorage();
  await storage.put('stopped-workers/worker-1', Buffer.from(''), 'text/plain');
  expect(await new StoppedWorkers(storage, clock, new Logger('Jobs')).stoppedUntil('worker-1')).toBeNull();
});

it('StoppedWorkers does not wait for a storage that does not respond', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const hangs = () => new Promise<never>(() => undefined);
  const stopped = new StoppedWorkers({ get: hangs, put: hangs, delete: hangs }, clock, new Logger('Jobs'));
  expect(await stopped.stoppedUntil('worker-1')).toBeNull();
  await stopped.note(['worker-1']);
  await stopped.forget(['worker-1']);
  expect(warn).toHaveBeenCalledTimes(3);
  warn.mockRestore();
});
