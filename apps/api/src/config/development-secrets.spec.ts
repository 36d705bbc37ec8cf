import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { transformFileSync } from '@swc/core';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright-secrets-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/**
 * Starts several processes at once, simulated by threads.
 * @returns the secrets that each of them uses
 */
async function startAtOnce(count: number): Promise<string[]> {
  const { code } = transformFileSync(join(__dirname, 'development-secrets.ts'), {
    module: { type: 'commonjs' },
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  });
  const barrier = new Int32Array(new SharedArrayBuffer(4));
  const script = `${code}
    const { parentPort, workerData } = require('node:worker_threads');
    parentPort.postMessage('ready');
    Atomics.wait(workerData.barrier, 0, 0);
    parentPort.postMessage(JSON.stringify(exports.developmentSecrets(workerData.dataDir, {})));`;
  const workers = Array.from(
    { length: count },
    () => new Worker(script, { eval: true, workerData: { barrier, dataDir } }),
  );
  const next = (worker: Worker) =>
    new Promise<string>((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await Promise.all(workers.map(next));
  const results = workers.map(next);
  Atomics.store(barrier, 0, 1);
  Atomics.notify(barrier, 0);
  return Promise.all(results);
}

it('processes that start simultaneously create one set of secrets, and all of them use it', async () => {
  for (let round = 0; round < 5; round++) {
    const file = join(dataDir, 'secrets.json');
    rmSync(file, { force: true });
    const results = await startAtOnce(6);
    expect(new Set(results).size).toBe(1);
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(stored).toEqual(JSON.parse(results[0] ?? ''));
    expect(stored).toMatchObject({ MASTER_KEYS: expect.stringMatching(/^development:.{44}$/) });
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  }
});
