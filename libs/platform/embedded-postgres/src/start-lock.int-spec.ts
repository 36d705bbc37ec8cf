import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { SOURCES } from './launcher.fixtures.js';
import { withStartLock } from './start-lock.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'start lock '))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts another process that runs `body`, with the lock function and the folder in scope. */
function spawnHolder(body: string) {
  const script = `
    const { withStartLock } = require(${JSON.stringify(resolve(__dirname, 'start-lock.ts'))});
    const { readFileSync, writeFileSync } = require('node:fs');
    const folder = process.argv[1];
    (async () => { ${body} })();`;
  return spawn(process.execPath, ['-r', SOURCES, '-e', script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
}

it('the start lock admits one caller at a time among all processes, even after a holder was killed', async () => {
  const counter = join(folder, 'counter');
  writeFileSync(counter, '0');
  const killed = spawnHolder(
    `withStartLock(folder, () => new Promise(() => (console.log('held'), setInterval(() => {}, 1e6))));`,
  );
  await once(killed.stdout, 'data');
  const counting = `
    for (let i = 0; i < 10; i++) await withStartLock(folder, async () => {
      const count = Number(readFileSync(folder + '/counter', 'utf8'));
      await new Promise(setImmediate);
      writeFileSync(folder + '/counter', String(count + 1));
    });`;
  const others = [spawnHolder(counting), spawnHolder(counting)];
  const here = Array.from({ length: 10 }, () =>
    withStartLock(folder, async () => {
      const count = Number(readFileSync(counter, 'utf8'));
      await turn();
      writeFileSync(counter, String(count + 1));
    }),
  );
  killed.kill('SIGKILL');
  await Promise.all([...here, ...others.map((other) => once(other, 'exit'))]);
  expect(readFileSync(counter, 'utf8')).toBe('30');
  expect(readdirSync(folder).filter((name) => !/^lock\.\d+$/.test(name))).toEqual(['counter']);
});

it('withStartLock releases the lock when its work throws', async () => {
  await expect(withStartLock(folder, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(withStartLock(folder, () => Promise.resolve('done'))).resolves.toBe('done');
});

it.each(['{"pid": 1', 'null', '{}'])(
  'the error for a damaged lock names the lock and the remedy: %j',
  async (content) => {
    writeFileSync(join(folder, 'lock.3'), content);
    const work = withStartLock(folder, () => Promise.resolve());
    await expect(work).rejects.toThrow(/lock\.3 is damaged.*delete that file/);
  },
);
