/**
 * Sends the app its own requests before and after it imports Passwright, and compares the responses byte for byte. Then
 * issues a pass and verifies it with OpenSSL. Finally, a virtual phone fetches a change of the pass.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { VirtualIPhone } from '@passwright/testing';
import { ownRequests } from './check/own-requests.mjs';
import { freePort, responsesOf, startApp } from './check/running-app.mjs';

const dir = mkdtempSync(join(tmpdir(), 'passwright-fastify-app-'));
const database = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') });
const port = await freePort();
const base = `http://localhost:${port}/api`;
const staffKey = randomBytes(32).toString('hex');
const environment = {
  PORT: String(port),
  BASE_URL: base,
  DATABASE_URL: process.env.DATABASE_URL ?? database.url,
  DATA_DIR: dir,
  // This script itself delivers the push to the phone below, so the app needs no push service.
  PUSH_URL: 'https://localhost:1',
  STAFF_KEY: staffKey,
  ACCESS_TOKEN_SECRET: randomBytes(32).toString('hex'),
  PASS_TOKEN_SECRET: randomBytes(32).toString('hex'),
};
try {
  const before = await running('dist/before.js', responsesToOwn);
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

function compare(before, after) {
  for (const [index, { method, path }] of ownRequests.entries()) {
    assert.deepEqual(after[index], before[index], `${method} ${path} responds as before the import`);
  }
  const statuses = new Set(before.map(({ status }) => status));
  for (const status of [200, 201, 204, 400, 403, 404, 413, 415, 500]) {
    assert.ok(statuses.has(status), `a request of the app's own gets ${status}`);
  }
  const bytes = before.reduce((sum, { body }) => sum + body.length, 0);
  console.log(`${before.length} own requests: the same responses after the import, byte for byte (${bytes} bytes)`);
}

async function checkPass() {
  assert.equal((await post('/visitors', { fullName: '' })).status, 400);
  const { id, passUrl } = await created(await post('/visitors', { fullName: 'Ada Lovelace' }));
  const download = await fetch(passUrl);
  assert.equal(download.headers.get('content-type'), 'application/vnd.apple.pkpass');
  const pkpass = Buffer.from(await download.arrayBuffer());
  const root = join(dir, 'chain/root.pem');
  judgeByOpenssl(pkpass, root);
  const phone = VirtualIPhone.create({ roots: [readFileSync(root, 'utf8')] });
  const { json } = await phone.add(pkpass);
  assert.deepEqual(phone.failed, [], 'the phone registers at the routes of this app');
  assert.equal(json.storeCard.primaryFields[0].value, 'Ada Lovelace');
  assert.equal((await post(`/visitors/${id}/name`, { fullName: 'Mallory' })).status, 403, 'only the staff renames');
  await created(await post(`/visitors/${id}/name`, { fullName: 'Ada King' }, staffKey));
  await phone.push();
  const updated = phone.passes.get(json.serialNumber);
  assert.equal(updated.json.storeCard.primaryFields[0].value, 'Ada King', 'the phone fetches the change');
  await phone.close();
  const missing = await fetch(`${base}/visitors/nobody/pass`);
  assert.deepEqual([missing.status, (await missing.json()).code], [404, 'pass_not_found']);
  console.log('pass issued, verified by openssl, installed and updated on a phone, by routes on Fastify');
}

function post(path, body, key) {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  return fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function created(response) {
  assert.equal(response.status, 201);
  const text = await response.text();
  return text === '' ? null : JSON.parse(text);
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
