import { spawnSync } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { temporaryTables } from '../rows/tables.fixtures.js';
import { withImportLock } from './result-lock.js';

const { pathOf } = temporaryTables();

const lock = () => pathOf('out.csv.lock');
const take = () => withImportLock(pathOf('out.csv'), () => Promise.resolve('taken'));
const leave = (holder: object | string) =>
  writeFileSync(
    lock(),
    typeof holder === 'string' ? holder : JSON.stringify({ host: hostname(), token: 'x', ...holder }),
  );
/** Returns the pid of a process that has ended. */
const gone = () => spawnSync(process.execPath, ['-e', '']).pid;

it('a result file stays locked until its import ends or fails', async () => {
  await withImportLock(pathOf('out.csv'), async () => {
    await expect(take()).rejects.toThrow(`Process ${process.pid} on ${hostname()} is writing out.csv.`);
  });
  const failing = withImportLock(pathOf('out.csv'), () => Promise.reject(new Error('gone')));
  await expect(failing).rejects.toThrow('gone');
  expect([await take(), existsSync(lock())]).toEqual(['taken', false]);
  leave({ pid: process.ppid });
  await expect(take()).rejects.toThrow(`Process ${process.ppid}`);
  leave({ pid: gone(), host: 'elsewhere' });
  await expect(take()).rejects.toThrow('on elsewhere is writing');
  leave('');
  await expect(take()).rejects.toThrow('Another import is writing');
});

it('only one of several waiting imports gets the lock of a killed process', async () => {
  leave({ pid: gone() });
  let [at, rejected] = [0, 0];
  let letGo = (): void => undefined;
  const othersRejected = new Promise<void>((resolve) => (letGo = resolve));
  const one = () =>
    withImportLock(pathOf('out.csv'), () => ((at += 1), othersRejected)).catch(() => {
      if (++rejected === 7) letGo();
    });
  await Promise.all(Array.from({ length: 8 }, one));
  expect([at, rejected]).toEqual([1, 7]);
  // In a container, a new import may have the same pid as the killed one.
  leave({ pid: process.pid });
  expect(await take()).toBe('taken');
  leave('{"pid":');
  utimesSync(lock(), 1, 1);
  expect(await take()).toBe('taken');
});
