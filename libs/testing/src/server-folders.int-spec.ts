import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { debianPrograms } from './debian-postgres.js';

const hook = resolve(__dirname, '../jest/typescript-sources.cjs');

/** Runs code in a separate process with its own temporary folder. The code prints one line. */
async function run(code: string) {
  const load = (name: string) => `require(${JSON.stringify(resolve(__dirname, `${name}.ts`))})`;
  const script = `const { newServerFolder, removeServerFolders } = ${load('server-folders')};
    const { DebianPostgres } = ${load('debian-postgres')};
    ${code}`;
  const child = spawn(process.execPath, ['-r', hook, '-e', script], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { line: line.toString().trim(), pid: child.pid, ended, kill: () => (child.kill('SIGKILL'), ended) };
}

const wait = 'setInterval(() => undefined, 1000)';
const remove = async () => (await run(`removeServerFolders().then(() => console.log('removed'))`)).ended;

let temporary = '';
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'passwright folders '));
  // If root runs the tests, a Debian server runs as another user.
  chmodSync(temporary, 0o755);
});
afterEach(() => rm(temporary, { recursive: true, force: true }));

it('removeServerFolders removes the folder of a killed process, which any user may enter, and not that of a running one', async () => {
  const create = `newServerFolder().then((folder) => { console.log(folder); ${wait}; })`;
  const [killed, running] = await Promise.all([run(create), run(create)]);
  expect(killed.line).toMatch(new RegExp(`^${temporary}/passwright-tests-${killed.pid}-`));
  expect(statSync(killed.line).mode & 0o777).toBe(0o755);
  await killed.kill();
  await remove();
  expect([killed, running].map(({ line }) => existsSync(line))).toEqual([false, true]);
  await running.kill();
});

it('removeServerFolders leaves links and files that other users may have made', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const [target, link, file] = [`target`, `passwright-tests-${pid}-link`, `passwright-tests-${pid}-file`].map((name) =>
    join(temporary, name),
  ) as [string, string, string];
  mkdirSync(target);
  symlinkSync(target, link);
  writeFileSync(file, '');
  await remove();
  expect([target, link, file].map(existsSync)).toEqual([true, true, true]);
});

(debianPrograms() ? it : it.skip)(
  'removeServerFolders removes the folder of a Debian server whose process was killed',
  async () => {
    const start = `DebianPostgres.start().then((server) => { console.log(server.folder); ${wait}; })`;
    const killed = await run(start);
    const server = Number(readFileSync(join(killed.line, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    await killed.kill();
    await remove();
    const left = existsSync(join(killed.line, '..'));
    process.kill(server, 'SIGQUIT');
    expect(left).toBe(false);
  },
);
