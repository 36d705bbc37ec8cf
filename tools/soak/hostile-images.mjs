// A tenant that asks for as much costly work as it can (uploads that do not end, dear images, new templates, previews, keys)
// beside a stranger, whose requests are timed on a service without load and then beside each attack and all of them.
// Prints p50 and p99 of each of the stranger's routes and their ratio to the service without load.
// Fails on a response of the stranger other than 2xx, on a 5xx other than 503 with Retry-After, and on an event loop that
// stalls for more than 250 ms.
//
//   npm run soak:hostile-images -- [seconds for each attack, default 20]
import { randomUUID, randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startNodes } from './lib/nodes.mjs';

// The encoder that the service decodes with.
const sharp = createRequire(new URL('../../libs/templates/package.json', import.meta.url))('sharp');
const seconds = Number(process.argv[2] ?? 20);
const STALL_MS = 250;
const IMAGES = 400;
const dir = mkdtempSync(join(tmpdir(), 'passwright-hostile-images-'));
const failures = new Set();
async function run() {
  const stranger = await Tenant.register();
  const hostile = await Tenant.register();
  const images = await Promise.all(Array.from({ length: IMAGES }, () => smallImage()));
  await stranger.save('still');
  await hostile.save('still');
  const pass = await stranger.call('POST', '/v1/pass/still', { id: 'p', fields: [] });
  const packagePath = new URL(pass.body.walletAUrl).pathname;
  const dear = await dearImages();
  let turn = 0;
  const routes = {
    read: () => stranger.call('GET', '/v1/templates/still'),
    package: () => stranger.call('GET', packagePath),
    page: () => stranger.call('GET', '/v1/templates'),
    upload: () => stranger.upload(images[turn++ % IMAGES]),
    save: async () => {
      const { body } = await stranger.upload(images[turn++ % IMAGES]);
      const startedAt = performance.now();
      await stranger.save(`t${turn}`, { icon: body.icon });
      return startedAt;
    },
    preview: async () => {
      await stranger.save('still', { title: `Turn ${turn++}` });
      const startedAt = performance.now();
      await stranger.call('GET', '/v1/templates/still/preview?format=png&scale=2');
      return startedAt;
    },
  };
  const attacks = {
    'unfinished uploads': (signal) => Promise.all(Array.from({ length: 210 }, () => trickle(hostile, signal))),
    'dear images': (signal) => lanes(20, signal, (n) => hostile.attack(() => hostile.upload(dear[n % dear.length]))),
    'new templates': (signal) => lanes(60, signal, (n) => hostile.attack(() => hostile.save(`n${n}-${randomUUID()}`))),
    previews: (signal) =>
      lanes(60, signal, async (n) => {
        await hostile.attack(() => hostile.save(`v${n % 60}`, { title: randomUUID() }));
        await hostile.attack(() => hostile.call('GET', `/v1/templates/v${n % 60}/preview?format=png&scale=3`));
      }),
    keys: (signal) =>
      lanes(20, signal, () => hostile.attack(() => hostile.call('POST', '/v1/account/walletA/request'))),
  };
  attacks.all = (signal) =>
    Promise.all(
      Object.values(attacks)
        .slice(0, 5)
        .map((attack) => attack(signal)),
    );

  await measure(routes, AbortSignal.timeout(3000));
  await stall();
  const idle = await measure(routes, AbortSignal.timeout(seconds * 1000));
  report('no load', idle, idle, await stall());
  for (const [name, attack] of Object.entries(attacks)) {
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const attacking = attack(ended.signal);
    await pause(2000);
    await stall();
    const times = await measure(routes, AbortSignal.timeout(seconds * 1000));
    const stalled = await stall();
    if (stalled > STALL_MS) failures.add(`${name}: the event loop stalled for ${stalled.toFixed(0)} ms`);
    report(name, times, idle, stalled);
    ended.abort();
    await attacking;
    await pause(3000);
  }
  // Keys last: one takes a second, and an account may have few in an hour.
  console.log(`the attacker's responses: ${JSON.stringify(Object.fromEntries(hostile.statuses))}`);
}

/** Calls each route in turn. @returns the times of each in ms */
async function measure(routes, during) {
  const times = Object.fromEntries(Object.keys(routes).map((name) => [name, []]));
  while (!during.aborted) {
    for (const [name, route] of Object.entries(routes)) {
      let startedAt = performance.now();
      const later = await route();
      if (typeof later === 'number') startedAt = later;
      times[name].push(performance.now() - startedAt);
    }
  }
  return times;
}

function report(name, times, idle, stalled) {
  console.log(`${name} (longest stall of the event loop ${stalled.toFixed(0)} ms)`);
  for (const [route, all] of Object.entries(times)) {
    const [before, now] = [figures(idle[route]), figures(all)];
    const ratio = (of) => `${now[of].toFixed(0)} ms (${(now[of] / before[of]).toFixed(1)})`.padEnd(18);
    console.log(`  ${route.padEnd(10)} p50 ${ratio('p50')} p99 ${ratio('p99')} n ${all.length}`);
  }
}

function figures(times) {
  const sorted = times.toSorted((one, other) => one - other);
  return { p50: sorted[sorted.length >> 1], p99: sorted[Math.floor(sorted.length * 0.99)] };
}

async function stall() {
  const answer = once(node.child, 'message');
  node.child.send('event-loop');
  const [{ stallMs }] = await answer;
  return stallMs;
}

async function lanes(count, signal, work) {
  let n = 0;
  const lane = async () => {
    while (!signal.aborted) if ((await work(n++)) === 429) await pause(50);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

/** An upload that sends a little of its body every second, again and again. */
async function trickle({ token }, signal) {
  while (!signal.aborted) {
    const socket = connect(Number(new URL(node.url).port), '127.0.0.1').on('error', () => undefined);
    socket
      .resume()
      .write(
        `POST /v1/templates/t/images HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
          'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000000\r\n\r\n--x\r\n',
      );
    const drip = setInterval(() => socket.write('x'), 1000);
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    await new Promise((resolve) => socket.once('close', resolve));
    signal.removeEventListener('abort', end);
    clearInterval(drip);
    if (!signal.aborted) await pause(100);
  }
}

function smallImage() {
  const raw = { width: 200, height: 100, channels: 3 };
  return sharp(randomBytes(200 * 100 * 3), { raw })
    .png()
    .toBuffer();
}

/** Images that take the longest to decode for their size. */
async function dearImages() {
  const flat = (width, height) => sharp({ create: { width, height, channels: 4, background: '#f008' } });
  const noise = { type: 'gaussian', mean: 128, sigma: 60 };
  return Promise.all([
    flat(4990, 4990).toColourspace('rgb16').png().toBuffer(),
    flat(4990, 4990).png({ progressive: true }).toBuffer(),
    flat(1, 25_000_000).png().toBuffer(),
    flat(2500, 9999).webp({ lossless: true }).toBuffer(),
    sharp({ create: { width: 1000, height: 1000, channels: 3, background: '#000', noise } })
      .png()
      .toBuffer(),
  ]);
}

class Tenant {
  statuses = new Map();

  static async register() {
    const tenant = new Tenant();
    const email = `${randomUUID()}@example.com`;
    const person = { email, password: randomUUID(), name: 'Soak', accountName: 'Soak' };
    tenant.token = (await tenant.call('POST', '/v1/auth/register', person)).body.accessToken;
    return tenant;
  }

  /** @throws Error for a status other than 2xx */
  async call(method, path, body) {
    const isJson = body !== undefined && !(body instanceof FormData);
    const headers = {
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
    };
    const response = await fetch(node.url + path, { method, headers, body: isJson ? JSON.stringify(body) : body });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 && !(status === 503 && response.headers.has('retry-after'))) {
      failures.add(`${method} ${path}: ${status} ${bytes.toString().slice(0, 200)}`);
    }
    if (!response.ok) throw Object.assign(new Error(`${method} ${path}: ${status} ${bytes}`), { status });
    const type = response.headers.get('content-type') ?? '';
    return { body: type.includes('/json') ? JSON.parse(bytes.toString()) : bytes };
  }

  upload(image) {
    const form = new FormData();
    form.append('icon', new Blob([image]), 'icon.png');
    return this.call('POST', '/v1/templates/t/images', form);
  }

  save(id, changes = {}) {
    const sample = (name) => `${node.url}/images/samples/${name}.png`;
    const images = { icon: sample('icon'), logo: sample('logo'), banner: sample('banner') };
    const look = { title: 'Soak', issuerName: 'Soak', foregroundColor: '#ffffff', backgroundColor: '#1f2a44' };
    return this.call('POST', `/v1/templates/${id}`, { type: 'offer', ...look, ...images, ...changes });
  }

  /** @returns the status, whatever it is */
  async attack(call) {
    try {
      await call();
      return 200;
    } catch (error) {
      return error.status ?? 0;
    }
  }
}

const [node] = await startNodes(
  1,
  { DATA_DIR: dir, RATE_LIMIT_PER_MINUTE: '30000' },
  { execArgv: ['--require', fileURLToPath(new URL('lib/event-loop.cjs', import.meta.url))] },
);
try {
  await run();
} finally {
  await node.stop();
  rmSync(dir, { recursive: true, force: true });
}
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exit(failures.size > 0 ? 1 : 0);
