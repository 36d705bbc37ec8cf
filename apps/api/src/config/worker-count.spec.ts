import { threadsPerProcess } from './thread-pool.js';
import { coresOfContainer, workerCount } from './worker-count.js';

const gib = (count: number) => count * 2 ** 30;

it.each([
  ['one per core', { cores: 3, memoryBytes: gib(16) }, {}, 3],
  ['only whole cores', { cores: 2.9, memoryBytes: gib(16) }, {}, 2],
  ['at least one', { cores: 0.5, memoryBytes: gib(0.25) }, {}, 1],
  ['no more than the memory suffices for', { cores: 4, memoryBytes: gib(2) }, {}, 2],
  ['two connections for each', { cores: 4, memoryBytes: gib(16) }, { DATABASE_POOL_SIZE: 7 }, 3],
  ['at most four if they run jobs', { cores: 64, memoryBytes: gib(256) }, {}, 4],
  ['more if they run no jobs', { cores: 64, memoryBytes: gib(256) }, { ROLE: 'api' as const }, 10],
])('workerCount turns "auto" into a number of workers: %s', (_case, machine, changes, count) => {
  const values = { WORKERS: 'auto', DATABASE_POOL_SIZE: 20, ROLE: 'all', ...changes } as const;
  expect(workerCount(values, machine)).toBe(count);
});

it.each([
  [1, 16, 32],
  [4, 16, 8],
  [4, 1.5, 4],
])('threadsPerProcess gives each of %i processes on %d cores %i threads', (processes, cores, threads) => {
  expect(threadsPerProcess(processes, cores)).toBe(threads);
});

it('workerCount returns the number in WORKERS unchanged', () => {
  const machine = { cores: 1, memoryBytes: gib(0.25) };
  expect(workerCount({ WORKERS: 8, DATABASE_POOL_SIZE: 2, ROLE: 'all' }, machine)).toBe(8);
});

it.each([
  ['version 2', { '/sys/fs/cgroup/cpu.max': '150000 100000\n' }, 1.5],
  ['version 2, less than a core', { '/sys/fs/cgroup/cpu.max': '20000 100000\n' }, 1],
  ['version 2 without a limit', { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, Infinity],
  [
    'version 1',
    { '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '400000\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
    4,
  ],
  [
    'version 1 without a limit',
    { '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n' },
    Infinity,
  ],
  ['no cgroups', {}, Infinity],
])('coresOfContainer reads the limit of %s', (_case, files: Record<string, string>, cores) => {
  expect(coresOfContainer((path) => files[path] ?? null)).toBe(cores);
});
