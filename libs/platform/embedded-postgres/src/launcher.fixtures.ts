import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** The Node options of a process that runs our sources without Jest. */
export const SOURCES = resolve(__dirname, '../../../testing/jest/typescript-sources.cjs');

/**
 * True if other users can read our sources, so that root can start a process as another user. False below a folder of
 * mode 700, such as `mktemp -d` creates.
 */
export const sourcesAreOpen = isOpen(__dirname);

function isOpen(dir: string): boolean {
  const parent = dirname(dir);
  return (statSync(dir).mode & 0o001) !== 0 && (parent === dir || isOpen(parent));
}

const script = `
  const { startEmbeddedPostgres } = require(${JSON.stringify(resolve(__dirname, 'embedded-postgres.ts'))});
  const say = (message) => console.log(JSON.stringify(message));
  startEmbeddedPostgres(JSON.parse(process.argv[1])).then((server) => {
    say({ url: server.url, owned: server.owned });
    process.stdin.once('data', () => server.stop().then(() => process.exit()));
  }, (error) => { say({ error: error.name + ': ' + error.message }); process.exit(1); });`;

/** The settings of a process that uses the embedded server. */
export interface Launch {
  readonly dataDir: string;
  /** If true, commits are durable. Default: false. */
  readonly durable?: boolean;
  /** The user id of the process. Only root can choose it. */
  readonly uid?: number;
}

/** Starts a separate process that tries to start the embedded server, and waits for the result. */
export async function launchProcess({ dataDir, durable = false, uid }: Launch) {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const args = ['-r', SOURCES, '-e', script, JSON.stringify({ dataDir, durable })];
  const child = spawn(process.execPath, args, { ...user, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url = '', owned = false, error } = JSON.parse(line) as { url?: string; owned?: boolean; error?: string };
  return {
    url,
    owned,
    error,
    stop: () => (child.stdin.write('stop'), ended),
    kill: () => (child.kill('SIGKILL'), ended),
  };
}
