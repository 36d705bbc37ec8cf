// Starts the app, signs a visitor up over HTTP, and checks the pass with openssl and a virtual phone.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@passwright/embedded-postgres';
import { VirtualIPhone } from '@passwright/testing';

const dir = mkdtempSync(join(tmpdir(), 'passwright-nest-app-'));
const database = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') });
const port = await freePort();
const app = spawn(process.execPath, ['dist/main.js'], {
  env: {
    ...process.env,
    PORT: String(port),
    BASE_URL: `http://localhost:${port}/api`,
    DATABASE_URL: process.env.DATABASE_URL ?? database.url,
    DATA_DIR: dir,
    ACCESS_TOKEN_SECRET: randomBytes(32).toString('hex'),
    PASS_TOKEN_SECRET: randomBytes(32).toString('hex'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const ended = new Promise((_, reject) => app.once('exit', (code) => reject(new Error(`the app ended with ${code}`))));
  await Promise.race([ended, listening(app.stdout), late(60)]);
  await check(`http://localhost:${port}/api`);
} finally {
  app.removeAllListeners('exit');
  app.kill('SIGTERM');
  await Promise.race([new Promise((resolve) => app.once('exit', resolve)), late(15)]).catch(() => app.kill('SIGKILL'));
  await database?.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function check(base) {
  const signUp = (body) =>
    fetch(`${base}/visitors`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const closed = await fetch(`${base}/v1/opening-hours/monday`);
  const nests = { message: 'The museum is closed.', error: 'Not Found', statusCode: 404 };
  assert.deepEqual(await closed.json(), nests, "the app's own routes respond as Nest does");
  const rejected = await signUp({ fullName: '' });
  assert.deepEqual([rejected.status, (await rejected.json()).code], [400, 'validation_failed']);
  const response = await signUp({ fullName: 'Ada Lovelace' });
  assert.equal(response.status, 201);
  const { walletAUrl, webUrl } = await response.json();
  assert.equal((await fetch(webUrl)).status, 200);
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
  const { version } = JSON.parse(readFileSync('node_modules/@nestjs/core/package.json', 'utf8'));
  const { type } = JSON.parse(readFileSync('package.json', 'utf8'));
  console.log(`pass issued and verified by openssl and a phone (Nest ${version}, ${type})`);
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
