import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@passwright/testing';
import { RunningService } from '../support/running-service.js';

const script = join(__dirname, '../../../../tools/demo.mjs');
let service: RunningService;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'passwright demo '));
  // Set the port now, because links contain the address of the service.
  service = await RunningService.start({ PORT: String(await freePort()) });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Runs a program in the folder. @returns its exit code and what it prints */
async function run(command: string, words: readonly string[]) {
  const { PATH, TMPDIR } = process.env;
  const BASE_URL = service.baseUrl.replace('127.0.0.1', 'localhost');
  const child = spawn(command, words, { cwd: folder, env: { PATH, TMPDIR, BASE_URL } });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, out, err };
}

it('the demo ends with three next steps that work as printed', async () => {
  const { code, out, err } = await run(process.execPath, [script]);
  expect([code, err]).toEqual([0, '']);
  expect(readdirSync(folder)).toEqual(['demo.pkpass']);
  const [page = '', docs = ''] = [...out.matchAll(/^ {4}(http\S+)$/gm)].map(([, url]) => url as string);
  expect(await (await fetch(page)).text()).toContain('1,815');
  expect((await fetch(docs)).status).toBe(200);

  const [, change = ''] = /^ {4}(curl .*)$/m.exec(out) ?? [];
  const changed = JSON.parse((await run('bash', ['-c', `${change} -s`])).out) as { notifications: object };
  expect(changed.notifications).toMatchObject({ walletA: [{ message: 'Points: 1,900' }] });
  expect(await (await fetch(page)).text()).toContain('1,900');
});
