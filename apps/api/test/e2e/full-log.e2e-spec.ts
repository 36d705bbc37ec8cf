import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { testDatabase } from '@passwright/testing';

/** Rejects every write, like a file on a full disk. */
const FULL = '/dev/full';
const root = join(__dirname, '../../../..');

let dataDir: string;
let child: ChildProcess;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright log '));
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(dataDir, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a service whose log goes to a full disk. @returns its address when it is ready */
async function start(): Promise<string> {
  const [{ url }, port] = [await testDatabase(), await freePort()];
  const { PATH, TMPDIR } = process.env;
  const full = openSync(FULL, 'w');
  const sources = join(root, 'libs/testing/jest/typescript-sources.cjs');
  child = spawn(process.execPath, ['-r', sources, join(root, 'apps/api/src/main.ts'), '--document-on-request'], {
    env: {
      PATH,
      TMPDIR,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: url,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', full, 'inherit'],
    cwd: dataDir,
  });
  closeSync(full);
  const baseUrl = `http://127.0.0.1:${port}`;
  while (child.exitCode === null) {
    const response = await fetch(`${baseUrl}/health/ready`).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) break;
    await pause(100);
  }
  return baseUrl;
}

(existsSync(FULL) ? it : it.skip)('a service whose log is on a full disk serves, and stops properly', async () => {
  const baseUrl = await start();
  for (let call = 0; call < 3; call++) {
    const response = await fetch(`${baseUrl}/v1/templates`);
    await response.body?.cancel();
    expect(response.status).toBe(401);
  }
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
});
