import { Logger } from '@nestjs/common';
import { StoppedWorkers } from './stopped-workers.js';

it('StoppedWorkers does not wait for a storage that hangs', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  const hangs = () => new Promise<never>(() => undefined);
  const stopped = new StoppedWorkers({ get: hangs, put: hangs, delete: hangs }, new Logger('Jobs'));
  expect(await stopped.has('worker-1')).toBe(false);
  await stopped.note(['worker-1']);
  await stopped.forget(['worker-1']);
  expect(warn).toHaveBeenCalledTimes(3);
  warn.mockRestore();
});
