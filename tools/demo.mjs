// npm run demo:pass: creates a .pkpass with five calls to an empty service. The service must be running.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const baseUrl = (process.env.BASE_URL ?? 'http://localhost:3000').replace(/\/+$/, '');
const person = {
  email: `demo-${randomBytes(4).toString('hex')}@example.com`,
  password: randomBytes(12).toString('base64url'),
};

const { accessToken } = await call('Register an account', 'POST', '/v1/auth/register', {
  body: { ...person, name: 'Demo', accountName: 'Demo Coffee' },
});
const { key } = await call('Make an API key', 'POST', '/v1/auth/keys', { token: accessToken, body: { name: 'demo' } });
await call('Save a template', 'POST', '/v1/templates/gold-club', {
  token: key,
  body: {
    type: 'membership',
    title: 'Gold Club',
    issuerName: 'Demo Coffee',
    foregroundColor: '#ffffff',
    backgroundColor: '#1f2a44',
    labelColor: '#f2c14e',
    icon: `${baseUrl}/images/samples/icon.png`,
    logo: `${baseUrl}/images/samples/logo.png`,
    banner: `${baseUrl}/images/samples/banner.png`,
    primaryLabel: 'Member',
    fields: [{ key: 'tier', label: 'Tier', value: 'Gold' }],
    backFields: [{ key: 'help', label: 'Help', value: 'hello@example.com' }],
  },
});
const { pass, walletAUrl, webUrl } = await call('Issue a pass', 'POST', '/v1/pass/gold-club', {
  token: key,
  body: { primaryValue: 'Ada Lovelace', fields: [{ key: 'points', label: 'Points', value: '1,815' }] },
});
const file = 'demo.pkpass';
writeFileSync(file, await download('Download the Apple Wallet package', walletAUrl));

console.log(`
  Pass        ${pass.id} (code ${pass.code})
  Package     ./${file}   (look inside: unzip -l ${file})
  Signed in as ${person.email} with password ${person.password}

  Next:

  1 Look at the pass: its web page shows each change while it is open.
    ${webUrl}

  2 Edit the template beside its preview: sign in at ${baseUrl}/workbench with this e-mail and password.
    Or try every call in Swagger UI. Press Authorize, and paste this API key.
    ${baseUrl}/docs
    ${key}

  3 Change the pass, and look at its page again.
    curl -X PATCH ${baseUrl}/v1/pass/gold-club/${pass.id} -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"fields":[{"key":"points","label":"Points","value":"1,900"}]}'
`);
open(webUrl);

/**
 * @param {string} step
 * @param {string} method
 * @param {string} path
 * @param {{ token?: string, body?: object }} options
 */
async function call(step, method, path, { token, body }) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await request(`${baseUrl}${path}`, { method, headers, body: JSON.stringify(body) });
  const reply = await response.json();
  console.log(`  ${response.ok ? '✓' : '✗'} ${step.padEnd(36)} ${method} ${path} → ${response.status}`);
  if (!response.ok) fail(`${reply.code}: ${reply.message}`);
  return reply;
}

async function download(step, url) {
  const response = await request(url);
  console.log(`  ${response.ok ? '✓' : '✗'} ${step.padEnd(36)} GET ${new URL(url).pathname} → ${response.status}`);
  if (!response.ok) fail((await response.json()).message);
  return Buffer.from(await response.arrayBuffer());
}

/**
 * @param {string} url
 * @param {RequestInit} [init]
 * @returns {Promise<Response>}
 */
async function request(url, init) {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  } catch {
    fail(`Nothing responds at ${baseUrl}. Start the service first: npm start`);
  }
}

/** Opens the page in a browser if there is a desktop. */
function open(url) {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
  const found = process.platform === 'win32' || spawnSync('which', [opener]).status === 0;
  if (!process.stdout.isTTY || !found) return;
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

function fail(message) {
  console.error(`\n  ${message}\n`);
  process.exit(1);
}
