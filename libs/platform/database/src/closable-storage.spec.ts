import { ClosableStorage } from './closable-storage.js';
import { enabledStorages } from './closable-storage.fixtures.js';

it('a closed storage is disabled once the last work that runs with a store has ended', async () => {
  const before = enabledStorages();
  const storage = new ClosableStorage<string>();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const work = (name: string) =>
    storage.run(name, async () => {
      await finished;
      return storage.getStore();
    });
  const running = [work('a'), work('b')];
  storage.close();
  await storage.run('c', () => Promise.reject(new Error('failed'))).catch(() => undefined);
  finish();
  expect(await Promise.all(running)).toEqual(['a', 'b']);
  expect(enabledStorages()).toBe(before);
});

it('a closed storage gives later work its store, and is disabled again when that work ends', async () => {
  const before = enabledStorages();
  const storage = new ClosableStorage<string>();
  storage.close();
  expect(await storage.run('a', () => Promise.resolve(storage.getStore()))).toBe('a');
  expect([storage.getStore(), enabledStorages()]).toEqual([undefined, before]);
});

it('work that leaves the context of a storage has no store, and the work around it keeps its store', async () => {
  const storage = new ClosableStorage<string>();
  await storage.run('a', () => {
    expect([storage.exit(() => storage.getStore()), storage.getStore()]).toEqual([undefined, 'a']);
    return Promise.resolve();
  });
  storage.close();
});
