import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeEmbeddedPostgres } from '@passwright/embedded-postgres';
import { testDatabase } from '@passwright/testing';

const root = join(__dirname, '../../../..');
/** Runs a program as the first process of a namespace, as in a container. */
const namespace = ['unshare', '--user', '--map-root-user', '--pid', '--fork'];
const hasNamespaces = spawnSync('unshare', [...namespace.slice(1), 'true']).status === 0;
if (!hasNamespaces) process.stderr.write('Programs run without a namespace: unshare is missing or may make none.\n');

let dataDir: string;
let database: Server;
let child: ChildProcess;
const sockets: Socket[] = [];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright signals '));
  // This server accepts connections and never responds.
  database = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(database, 'listening');
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    process.kill(programOf(child), 'SIGKILL');
    await once(child, 'exit');
  }
  for (const socket of sockets.splice(0)) socket.destroy();
  database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Returns the address of the database that never responds. */
const silentUrl = () => `postgres://u:p@127.0.0.1:${(database.address() as AddressInfo).port}/db`;

/** Starts a program from the sources, and waits until it prints `until`. */
async function start(program: string, words: readonly string[], until: string, url = silentUrl()): Promise<void> {
  const sources = join(root, 'libs/testing/jest/typescript-sources.cjs');
  const command = [process.execPath, '-r', sources, join(root, `apps/api/src/${program}.ts`), ...words];
  const [first = '', ...rest] = hasNamespaces ? [...namespace, ...command] : command;
  const { PATH, TMPDIR } = process.env;
  child = spawn(first, rest, {
    env: { PATH, TMPDIR, DATA_DIR: dataDir, PORT: '0', DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: dataDir,
  });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += String(chunk)).includes(until) && resolve());
    child.once('exit', (code) => reject(new Error(`${program} has ended with ${code}: ${output}`)));
  });
}

/** Returns the process of the program itself: the child of `unshare`. */
function programOf({ pid }: ChildProcess): number {
  return hasNamespaces ? Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()) : Number(pid);
}

/**
 * Sends a signal to the program.
 * @returns its exit code and signal, or `late` if it does not end soon
 */
async function endedBy(signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, 'exit');
  process.kill(programOf(child), signal);
  const late = new Promise((resolve) => setTimeout(resolve, 10_000, 'late').unref());
  return Promise.race([ended, late]);
}

it.each([
  ['main', [], 'The service waits for its database'],
  ['operator', ['migrate'], 'The command checks its connections'],
])(
  'SIGTERM ends the program "%s" while it waits for a database that does not respond',
  async (program, words, until) => {
    await start(program, words, until);
    expect(await endedBy('SIGTERM')).toEqual([143, null]);
  },
);

it('SIGTERM during the start of a service also stops the embedded Postgres that it has started', async () => {
  const { PATH, TMPDIR } = process.env;
  const sources = join(root, 'libs/testing/jest/typescript-sources.cjs');
  child = spawn(process.execPath, ['-r', sources, join(root, 'apps/api/src/main.ts')], {
    env: { PATH, TMPDIR, DATA_DIR: dataDir, PORT: '0' },
    stdio: 'ignore',
    cwd: dataDir,
  });
  const folder = join(dataDir, 'postgres');
  const server = join(folder, 'cluster/postmaster.pid');
  try {
    while (!existsSync(server)) await pause(10);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    expect(existsSync(server)).toBe(false);
  } finally {
    await removeEmbeddedPostgres(folder);
  }
}, 120_000);

describe('the first process of a container', () => {
  // The kernel does not end the first process of a namespace unless the process handles the signal.
  const test = hasNamespaces ? it : it.skip;

  test('SIGHUP ends a service that is waiting for its database', async () => {
    await start('main', [], 'The service waits for its database');
    expect(await endedBy('SIGHUP')).toEqual([129, null]);
  });

  test('SIGHUP stops a service as SIGTERM does', async () => {
    await start('main', [], 'Passwright is ready', (await testDatabase()).url);
    expect(await endedBy('SIGHUP')).toEqual([0, null]);
  }, 120_000);
});

it.each(['main', 'operator', 'doctor'])(
  'the program "%s" can handle signals before it loads its other modules',
  (program) => {
    const text = readFileSync(join(root, `apps/api/src/${program}.ts`), 'utf8');
    expect(/^import .*/m.exec(text)?.[0]).toMatch(/'\.\/stop-signals\.js';$/);
  },
);
