// Runs the app on a database of its own and checks the pass that it prints.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';

const unneeded = ['apple-push', 'apple-wallet', 'google-wallet', 'google-wallet-api', 'mailer', 'signer'];

const dir = mkdtempSync(join(tmpdir(), 'passwright-passes-only-'));
const database = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') });
try {
  const env = {
    ...process.env,
    DATABASE_URL: process.env.DATABASE_URL ?? database.url,
    DATA_DIR: dir,
    ACCESS_TOKEN_SECRET: randomBytes(32).toString('hex'),
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/main.js'], { env, timeout: 60_000 });
  const pass = JSON.parse(stdout);
  assert.deepEqual([pass.id, pass.templateId, pass.primaryValue], ['ada', 'friend', 'Ada Lovelace']);
  assert.equal(pass.voided, false);
  assert.deepEqual(unneeded.filter(isInstalled), [], 'installed, although passes do not need it');
  console.log('pass issued and read back without a signer, mailer, push service or Google Wallet');
} finally {
  await database?.stop();
  rmSync(dir, { recursive: true, force: true });
}

function isInstalled(name) {
  try {
    return createRequire(import.meta.url).resolve(`@passwright/${name}`) !== '';
  } catch {
    return false;
  }
}
