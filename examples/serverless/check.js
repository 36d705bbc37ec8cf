/**
 * Runs both bundles outside of this folder. Verifies their passes with openssl, and checks the size of the bundles.
 * Prints the CPU time for loading them, which depends on the machine.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDevelopmentChain } from '@passwright/signer/plain';

const MOST_KB = 250;
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
// Load each bundle like a platform: import the ES module, and `require` the CommonJS module.
const bundles = { 'handler.mjs': 'await import(path)', 'handler.cjs': 'require(path)' };
const program = (path, load) => `
  const require = (await import('node:module')).createRequire('file:///');
  const path = ${JSON.stringify(path)};
  const start = process.cpuUsage();
  const { handler } = ${load};
  const { user, system } = process.cpuUsage(start);
  const { body } = await handler({ queryStringParameters: { name: 'Ada' } });
  console.log(JSON.stringify({ ms: (user + system) / 1000, body }));`;

try {
  for (const [name, load] of Object.entries(bundles)) {
    const bundle = join(dir, name);
    copyFileSync(join('dist', name), bundle);
    const runs = Array.from({ length: RUNS }, () => run(bundle, load)).sort((a, b) => a.ms - b.ms);
    const { ms, body } = runs[RUNS >> 1];
    verify(Buffer.from(body, 'base64'));
    const kb = Math.round(statSync(bundle).size / 1000);
    assert.ok(kb <= MOST_KB, `${name} has ${kb} kB, more than ${MOST_KB}`);
    console.log(`${name}: ${kb} kB, loads in ${ms.toFixed(0)} ms of CPU, its pass verified by openssl`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

function run(bundle, load) {
  const args = ['--input-type=module', '-e', program(bundle, load)];
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
