import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const jestFolder = resolve(__dirname, '../jest');

// Run in a separate process, whose only globals are Node's.
it('a spec file leaves no global, variable, spy or exit code behind for the next one', () => {
  const script = `
    const assert = require('node:assert');
    const zlib = require('node:zlib');
    const Environment = require(${JSON.stringify(resolve(jestFolder, 'environment.cjs'))});
    const { fetch, console } = globalThis, { exit } = process, { crc32 } = zlib;
    const projectConfig = { id: 'project', testEnvironmentOptions: {}, fakeTimers: {} };
    const environment = new Environment({ projectConfig }, { testPath: '/a.spec.ts' });
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
    });`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 20_000 });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
