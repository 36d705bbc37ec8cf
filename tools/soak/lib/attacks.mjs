/**
 * Attacks in which one tenant keeps a node busy. They run in a separate process, so that their work does not delay the
 * requests that the test measures:
 *
 *   fork('attacks.mjs', ['name', …]) with NODE_URL, TOKEN, ADDRESS and WEBHOOK_URL in the environment
 *
 * The process sends 'ready' when the attacks begin.
 */
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { dearImages, Tenant } from './tenant.mjs';

const { NODE_URL, TOKEN, ADDRESS, WEBHOOK_URL } = process.env;
const tenant = new Tenant(NODE_URL, { token: TOKEN, address: ADDRESS });
const heads = Object.entries(tenant.headers).map(([name, value]) => `${name}: ${value}\r\n`);
/** Encode the images before the attacks begin, because encoding occupies all cores for several seconds. */
let dear = [];
const call = (method, path, body) => tenant.try(() => tenant.call(method, path, body));

const attacks = {
  'unfinished uploads': () =>
    sockets(210, 'POST /v1/templates/t/images', 'Content-Type: multipart/form-data; boundary=x', '--x\r\n'),
  'unfinished bodies': () =>
    sockets(300, 'POST /v1/pass/still', 'Content-Type: application/json', `{"x":"${'x'.repeat(200_000)}`),
  'slow readers': () => sockets(200, 'GET /v1/pass/large?limit=100', 'X-Reads: slowly'),
  pollers: () => lanes(1000, () => call('GET', `/v1/webhooks/${process.env.WEBHOOK_ID}/events?wait=5`)),
  batches: () => lanes(20, () => batch(1000)),
  'large pages': () => lanes(8, () => call('GET', '/v1/pass/large?limit=100')),
  reads: () => lanes(200, () => call('GET', '/v1/templates')),
  'wrong logins': () => lanes(60, () => call('POST', '/v1/auth/login', { email: 'a@example.com', password: 'wrong' })),
  openapi: () => lanes(20, () => call('GET', '/openapi.yaml')),
  previews: () => lanes(60, (n) => preview(`v${n % 20}`)),
  'new templates': () => lanes(60, (n) => tenant.try(() => tenant.save(`n${n}-${randomUUID()}`))),
  'dear images': () => lanes(20, (n) => tenant.try(() => tenant.upload(dear[n % dear.length]))),
  keys: () => lanes(20, () => call('POST', '/v1/account/walletA/request')),
  'hanging webhooks': () => hangingWebhooks(),
};

export const names = Object.keys(attacks);

if (process.send) {
  process.on('disconnect', () => process.exit(0));
  process.on('message', () => process.send({ statuses: Object.fromEntries(tenant.statuses) }));
  const chosen = process.argv.slice(2);
  if (chosen.includes('dear images')) dear = await dearImages();
  process.send('ready');
  for (const name of chosen) void attacks[name]();
}

/** Repeats the same work in several parallel lanes. Pauses only after the status 429, 503 or 0 (no response). */
async function lanes(count, work) {
  let n = 0;
  const lane = async () => {
    for (;;) if ([0, 429, 503].includes(await work(n++))) await pause(50);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

async function preview(id) {
  await tenant.try(() => tenant.save(id, { title: randomUUID() }));
  return call('GET', `/v1/templates/${id}/preview?format=png&scale=3`);
}

/** Sends a batch and counts the status of its response and of each rejected line. */
async function batch(lines) {
  const body = Array.from({ length: lines }, () => '{}\n').join('');
  const headers = { ...tenant.headers, 'Content-Type': 'application/x-ndjson' };
  const response = await fetch(`${NODE_URL}/v1/pass/still/batch`, { method: 'POST', headers, body }).catch(() => null);
  if (!response) return 0;
  const text = await response.text().catch(() => '');
  const rejected = text.matchAll(/"statusCode":(\d+)/g);
  for (const status of [response.status, ...Array.from(rejected, ([, of]) => Number(of))]) tenant.count(status);
  return response.status;
}

async function hangingWebhooks() {
  for (let n = 0; n < 19; n++) await call('POST', '/v1/webhooks', { url: WEBHOOK_URL });
  await lanes(4, () => call('POST', '/v1/pass/still', {}));
}

/** Repeatedly sends requests whose bodies never end, and does not read the responses. */
async function sockets(count, target, header, start = '') {
  const body = start === '' ? '' : 'Content-Length: 900000\r\n';
  const request = `${target} HTTP/1.1\r\nHost: x\r\n${heads.join('')}${header}\r\n${body}\r\n${start}`;
  const one = async () => {
    for (;;) {
      const socket = connect(Number(new URL(NODE_URL).port), '127.0.0.1').on('error', () => undefined);
      if (start !== '') socket.resume();
      socket.write(request);
      const drip = setInterval(() => start !== '' && socket.write('x'), 1000);
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(drip);
      await pause(100);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}
