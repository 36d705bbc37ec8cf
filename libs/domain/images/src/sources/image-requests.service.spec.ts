import type { AccountsService } from '@passwright/accounts';
import { ImageRequests } from './image-requests.service.js';

it('ImageRequests ends the wait of an aborted task with the reason of its signal, and does not run the task', async () => {
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
