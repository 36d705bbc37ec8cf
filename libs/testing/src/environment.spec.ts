import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const jestFolder = resolve(__dirname, '../jest');

/** Runs a script with an environment of Jest in a separate process, which has only Node's globals. */
function runScript(script: string, file = 'environment.cjs'): void {
  const beginning = `
    const assert = require('node:assert');
    const Environment = require(${JSON.stringify(resolve(jestFolder, file))});
    const projectConfig = { id: 'project', testEnvironmentOptions: {}, fakeTimers: {}, globals: {} };
    const newEnvironment = () => new Environment({ projectConfig }, { testPath: '/a.spec.ts' });`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', beginning + script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
}

it('a spec file leaves no global, variable, spy or exit code behind for the next file', () => {
  runScript(`
    const zlib = require('node:zlib');
    const { fetch, console } = globalThis, { exit } = process, { crc32 } = zlib;
    const environment = newEnvironment();
    Object.assign(globalThis, { describe: 1, [Symbol('STATE')]: 2, fetch: 3, console: 4 });
    process.env.LEFT_BEHIND = 'x';
    process.env.PATH = '/elsewhere';
    process.exit = () => undefined;
    environment.moduleMocker.spyOn(zlib, 'crc32');
    assert.notEqual(zlib.crc32, crc32);
    environment.teardown().then(() => {
      assert.equal('describe' in globalThis, false);
      assert.deepEqual(Object.getOwnPropertySymbols(globalThis).filter(({ description }) => description === 'STATE'), []);
      assert.equal(globalThis.fetch, fetch);
      assert.equal(globalThis.console, console);
      assert.equal(process.env.LEFT_BEHIND, undefined);
      assert.equal(process.env.PATH, ${JSON.stringify(process.env.PATH)});
      assert.equal(process.exit, exit);
      assert.equal(zlib.crc32, crc32);
    });`);
});

it.each(['environment.cjs', 'stock-environment.cjs'])(
  'a spec file leaves no enabled AsyncLocalStorage behind with %s',
  (file) => {
    const script = `
    const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
    const propertiesOfResource = () => Object.getOwnPropertySymbols(new AsyncResource('a')).length;
    const before = propertiesOfResource();
    const [runs, enters] = [new AsyncLocalStorage(), new AsyncLocalStorage()];
    const environment = newEnvironment();
    runs.run('a', async () => {
      enters.enterWith('b');
      assert.deepEqual([runs.getStore(), enters.getStore()], ['a', 'b']);
      await environment.teardown();
      assert.deepEqual([runs.getStore(), enters.getStore()], [undefined, undefined]);
      assert.equal(propertiesOfResource(), before);
      assert.equal(runs.run('c', () => runs.getStore()), 'c');
    });`;
    runScript(script, file);
  },
);

it('the setup of a run starts workers with a larger young generation, unless the run sets its size itself', () => {
  runScript(`
    const setUp = require(${JSON.stringify(resolve(jestFolder, 'global-setup.cjs'))});
    const run = [{ projects: [], testPathPatterns: { patterns: ['^$'] } }, { rootDir: ${JSON.stringify(jestFolder)} }];
    const set = () => process.execArgv.filter((argument) => argument.startsWith('--max-semi-space-size'));
    setUp(...run).then(async () => {
      assert.deepEqual(set(), ['--max-semi-space-size=64']);
      process.execArgv = ['--max-semi-space-size=8'];
      await setUp(...run);
      assert.deepEqual(set(), ['--max-semi-space-size=8']);
    });`);
});
