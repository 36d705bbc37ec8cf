import type { AccountsService } from '@passwright/accounts';
import { ImageRequests } from './image-requests.service.js';

it('a task that is aborted while it waits does not run, and fails with the reason of its signal', async () => {
  const requests = new ImageRequests({ shareOf: (id: string) => Promise.resolve(id) } as unknown as AccountsService);
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const running = Array.from({ length: 4 }, () => requests.run('acc', () => held));
  const ended = new AbortController();
  const task = jest.fn(() => Promise.resolve());
  const waiting = requests.run('acc', task, ended.signal);
  ended.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  release();
  await Promise.all(running);
  expect(task).not.toHaveBeenCalled();
});
