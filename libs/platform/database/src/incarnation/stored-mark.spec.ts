import { MemoryStorage } from '@passwright/testing';
import { MarkNotWritten, StoredMark } from './stored-mark.js';

let storage: MemoryStorage;
let mark: StoredMark;
beforeEach(() => {
  storage = new MemoryStorage();
  mark = new StoredMark(storage, 0);
});

it('StoredMark reads the mark that it has written, or null if there is none', async () => {
  expect(await mark.read('server')).toBeNull();
  await mark.write('server', { id: 'abc', beat: 12 }, false);
  expect([await mark.read('server'), await mark.read('other')]).toEqual([{ id: 'abc', beat: 12 }, null]);
});

it.each(['', 'abc', 'abc 1 2', '<html></html>'])(
  'StoredMark rejects the damaged mark %j instead of treating it as missing, and names the remedy',
  async (text) => {
    await storage.put('incarnation/server', Buffer.from(text), 'text/plain');
    await expect(mark.read('server')).rejects.toThrow(/^incarnation\/server .* is damaged\. Delete it/);
  },
);

it('StoredMark reports a failed write as MarkNotWritten', async () => {
  jest.spyOn(storage, 'put').mockRejectedValue(new Error('full'));
  const failure = await mark.write('server', { id: 'abc', beat: 1 }, false).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(MarkNotWritten);
  expect(failure).toMatchObject({ message: expect.stringMatching(/cannot be written: .*full/) });
});
