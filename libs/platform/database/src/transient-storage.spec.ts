import { enabledStorages } from './transient-storage.fixtures.js';
import { TransientStorage } from './transient-storage.js';

it('a transient storage is disabled once the last work that runs with a store has ended', async () => {
  const before = enabledStorages();
  const storage = new TransientStorage<string>();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const work = (name: string) =>
    storage.run(name, async () => {
      await finished;
      return storage.getStore();
    });
  const running = [work('a'), work('b')];
  await storage.run('c', () => Promise.reject(new Error('failed'))).catch(() => undefined);
  finish();
  expect(await Promise.all(running)).toEqual(['a', 'b']);
  expect(enabledStorages()).toBe(before);
});

it('a transient storage gives later work its store, and is disabled again when that work ends', async () => {
  const before = enabledStorages();
  const storage = new TransientStorage<string>();
  for (const name of ['a', 'b']) {
    expect(await storage.run(name, () => Promise.resolve(storage.getStore()))).toBe(name);
    expect([storage.getStore(), enabledStorages()]).toEqual([undefined, before]);
  }
});

it('work that leaves the context of a storage has no store, and the work around it keeps its store', async () => {
  const storage = new TransientStorage<string>();
  await storage.run('a', () => {
    expect([storage.exit(() => storage.getStore()), storage.getStore()]).toEqual([undefined, 'a']);
    return Promise.resolve();
  });
});

it('work that leaves the context of a storage may run with another store, and the storage is disabled in the end', async () => {
  const before = enabledStorages();
  const storage = new TransientStorage<string>();
  const inner = await storage.run('a', () =>
    storage.exit(() => storage.run('b', () => Promise.resolve(storage.getStore()))),
  );
  expect([inner, storage.getStore(), enabledStorages()]).toEqual(['b', undefined, before]);
});
