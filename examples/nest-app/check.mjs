/**
 * Sends the app its own requests before and after it imports Passwright, and compares the responses byte for byte. Then
 * signs up a visitor over HTTP, and checks the pass with OpenSSL and a virtual phone.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { VirtualIPhone } from '@passwright/testing';
import pg from 'pg';
import { ownRequests } from './check/own-requests.mjs';
import { freePort, responsesOf, startApp } from './check/running-app.mjs';

const dir = mkdtempSync(join(tmpdir(), 'passwright-nest-app-'));
const database = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') });
const databaseUrl = process.env.DATABASE_URL ?? database.url;
const port = await freePort();
const base = `http://localhost:${port}/api`;
const staffKey = randomBytes(32).toString('hex');
const environment = {
  PORT: String(port),
  BASE_URL: base,
  DATABASE_URL: databaseUrl,
  DATA_DIR: dir,
  STAFF_KEY: staffKey,
  ACCESS_TOKEN_SECRET: randomBytes(32).toString('hex'),
  PASS_TOKEN_SECRET: randomBytes(32).toString('hex'),
};
try {
  const before = await running('dist/before.js', responsesToOwn);
  await emptyExhibits();
  await running('dist/main.js', async () => {
    compare(before, await responsesToOwn());
    await checkPass();
  });
} finally {
  await database?.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function running(program, work) {
  const app = await startApp(program, environment);
  try {
    return await work();
  } finally {
    await app.stop();
  }
}

function responsesToOwn() {
  const requests = JSON.parse(JSON.stringify(ownRequests).replaceAll('{key}', staffKey));
  return responsesOf(port, requests);
}

/** Deletes all exhibits, so that new exhibits get the numbers from 1 again. */
async function emptyExhibits() {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('TRUNCATE exhibits RESTART IDENTITY');
  await client.end();
}

function compare(before, after) {
  for (const [index, { method, path }] of ownRequests.entries()) {
    assert.deepEqual(after[index], before[index], `${method} ${path} responds as before the import`);
  }
  const statuses = new Set(before.map(({ status }) => status));
  for (const status of [200, 201, 204, 302, 304, 400, 403, 404, 500]) {
    assert.ok(statuses.has(status), `a request of the app's own gets ${status}`);
  }
  const bytes = before.reduce((sum, { body }) => sum + body.length, 0);
  console.log(`${before.length} own requests: the same responses after the import, byte for byte (${bytes} bytes)`);
}

async function checkPass() {
  const rejected = await signUp({ fullName: '' });
  assert.deepEqual([rejected.status, (await rejected.json()).code], [400, 'validation_failed']);
  const response = await signUp({ fullName: 'Ada Lovelace' });
  assert.equal(response.status, 201);
  const { walletAUrl, webUrl } = await response.json();
  const page = await fetch(webUrl);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy'), /default-src 'none'/, "the page has Passwright's headers");
  const download = await fetch(walletAUrl);
  assert.equal(download.headers.get('content-type'), 'application/vnd.apple.pkpass');
  const pkpass = Buffer.from(await download.arrayBuffer());
  const root = join(dir, 'signing-chain/root.pem');
  judgeByOpenssl(pkpass, root);
  const phone = VirtualIPhone.create({ roots: [readFileSync(root, 'utf8')] });
  const { json } = await phone.add(pkpass);
  assert.deepEqual(phone.failed, [], 'the phone registers at the web service of this app');
  assert.equal(json.storeCard.primaryFields[0].value, 'Ada Lovelace');
  await phone.close();
  const { version } = createRequire(import.meta.url)('@nestjs/core/package.json');
  const { type } = JSON.parse(readFileSync('package.json', 'utf8'));
  console.log(`pass issued and verified by openssl and a phone (Nest ${version}, ${type})`);
}

function signUp(body) {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${base}/visitors`, { method: 'POST', headers, body: JSON.stringify(body) });
}

function judgeByOpenssl(pkpass, root) {
  const file = join(dir, 'ada.pkpass');
  writeFileSync(file, pkpass);
  execFileSync('unzip', ['-qo', file, 'manifest.json', 'signature', '-d', dir]);
  execFileSync('openssl', [
    ...['cms', '-verify', '-binary', '-inform', 'DER', '-in', join(dir, 'signature')],
    ...['-content', join(dir, 'manifest.json'), '-CAfile', root, '-purpose', 'any', '-out', '/dev/null'],
  ]);
}
