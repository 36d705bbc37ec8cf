// Runs both bundles outside of this folder, has openssl verify their passes, and limits what an import costs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDevelopmentChain } from '@passwright/signer/plain';

const MOST_CPU_MS = 60;
const RUNS = 7;
const dir = mkdtempSync(join(tmpdir(), 'passwright-serverless-'));
const chain = join(dir, 'chain');
const { certificatePem, privateKeyPem, intermediatePem } = await loadDevelopmentChain(
  { kind: 'development', dir: chain },
  new Date(),
);
const env = {
  ...process.env,
  CERTIFICATE_PEM: certificatePem,
  PRIVATE_KEY_PEM: privateKeyPem,
  INTERMEDIATE_PEM: intermediatePem,
  PASS_TOKEN_SECRET: randomBytes(32).toString('hex'),
};
const program = (url) => `
  const before = process.cpuUsage();
  const { handler } = await import(${JSON.stringify(url)});
  const { user, system } = process.cpuUsage(before);
  const { body } = await handler({ queryStringParameters: { name: 'Ada' } });
  console.log(JSON.stringify({ ms: (user + system) / 1000, body }));`;

try {
  for (const name of ['handler.mjs', 'handler.cjs']) {
    const bundle = join(dir, name);
    copyFileSync(join('dist', name), bundle);
    const runs = Array.from({ length: RUNS }, () => run(bundle));
    verify(Buffer.from(runs[0].body, 'base64'));
    const ms = runs.map((each) => each.ms).sort((a, b) => a - b)[RUNS >> 1];
    assert.ok(ms < MOST_CPU_MS, `the import of ${name} takes ${ms} ms of CPU, more than ${MOST_CPU_MS}`);
    const kb = Math.round(statSync(bundle).size / 1000);
    console.log(`${name}: ${kb} kB, imports in ${ms.toFixed(0)} ms of CPU, its pass verified by openssl`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function run(bundle) {
  const args = ['--input-type=module', '-e', program(bundle)];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: dir, env, encoding: 'utf8', maxBuffer: 64 << 20 }));
}

function verify(pkpass) {
  writeFileSync(join(dir, 'ada.pkpass'), pkpass);
  execFileSync('unzip', ['-qo', join(dir, 'ada.pkpass'), '-d', join(dir, 'pass')]);
  execFileSync('openssl', [
    ...['cms', '-verify', '-binary', '-inform', 'DER', '-in', join(dir, 'pass/signature')],
    ...['-content', join(dir, 'pass/manifest.json')],
    ...['-CAfile', join(chain, 'root.pem'), '-purpose', 'any', '-out', '/dev/null'],
  ]);
}
