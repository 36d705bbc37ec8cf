// Starts the app on Fastify, issues a pass, and has a virtual phone install it and fetch a change.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { VirtualIPhone } from '@passwright/testing';

const dir = mkdtempSync(join(tmpdir(), 'passwright-fastify-app-'));
const database = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') });
const port = await freePort();
const base = `http://localhost:${port}`;
const app = spawn(process.execPath, ['dist/main.js'], {
  env: {
    ...process.env,
    PORT: String(port),
    BASE_URL: base,
    DATABASE_URL: process.env.DATABASE_URL ?? database.url,
    DATA_DIR: dir,
    // The phone is pushed by hand below, so no push leaves this machine.
    PUSH_URL: 'https://localhost:1',
    ACCESS_TOKEN_SECRET: randomBytes(32).toString('hex'),
    PASS_TOKEN_SECRET: randomBytes(32).toString('hex'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const ended = new Promise((_, reject) => app.once('exit', (code) => reject(new Error(`the app ended with ${code}`))));
  await Promise.race([ended, listening(app.stdout), late(60)]);
  await check();
} finally {
  app.removeAllListeners('exit');
  app.kill('SIGTERM');
  await Promise.race([new Promise((resolve) => app.once('exit', resolve)), late(15)]).catch(() => app.kill('SIGKILL'));
  await database?.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function check() {
  const { passUrl } = await (await post('/visitors', { id: 'ada', fullName: 'Ada Lovelace' })).json();
  const download = await fetch(passUrl);
  assert.equal(download.headers.get('content-type'), 'application/vnd.apple.pkpass');
  const phone = VirtualIPhone.create({ roots: [readFileSync(join(dir, 'chain/root.pem'), 'utf8')] });
  const { json } = await phone.add(Buffer.from(await download.arrayBuffer()));
  assert.deepEqual(phone.failed, [], 'the phone registers at the routes of this app');
  assert.equal(json.storeCard.primaryFields[0].value, 'Ada Lovelace');
  await post('/visitors/ada/name', { fullName: 'Ada King' });
  await phone.push();
  const updated = phone.passes.get(json.serialNumber);
  assert.equal(updated.json.storeCard.primaryFields[0].value, 'Ada King', 'the phone fetches the change');
  await phone.close();
  const missing = await fetch(`${base}/visitors/nobody/pass`);
  assert.deepEqual([missing.status, (await missing.json()).code], [404, 'pass_not_found']);
  console.log('pass issued, installed and updated on a phone, by routes on Fastify');
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(response.status, 201);
  return response;
}

/** Passes on everything else that the app prints. */
function listening(stream) {
  return new Promise((resolve) =>
    stream.setEncoding('utf8').on('data', (text) => (text.includes('listening on') ? resolve() : console.log(text))),
  );
}

function late(seconds) {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`not within ${seconds} s`)), seconds * 1000).unref(),
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
