/**
 * One tenant requests as much expensive work as it can: endless uploads, expensive images, new templates, previews and
 * keys. The test measures the requests of another tenant: without load, during each attack, and during all attacks
 * together. Prints p50 and p99 of each route of the other tenant, and their ratios to the times without load.
 *
 * Fails on:
 * - a response to the other tenant other than 2xx
 * - a 5xx other than 503 with Retry-After
 * - a p99 of more than 3 times the p99 without load
 * - an event loop that stalls for more than 250 ms
 *
 *   npm run soak:hostile-images -- [seconds for each attack, default 20]
 */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { soak } from './lib/stage.mjs';
import { observed, stall } from './lib/observed.mjs';
import { compare, explainRatios, measure } from './lib/stranger.mjs';
import { dearImages, smallImage, Tenant } from './lib/tenant.mjs';

const seconds = Number(process.argv[2] ?? 20);
const IMAGES = 400;

await soak(async (stage) => {
  const [node] = await stage.nodes(1, { RATE_LIMIT_PER_MINUTE: '30000' }, observed);
  const stranger = await new Tenant(node.url).register();
  const hostile = await new Tenant(node.url).register();
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
    'unfinished uploads': (signal) => Promise.all(Array.from({ length: 210 }, () => trickle(node, hostile, signal))),
    'dear images': (signal) => lanes(20, signal, (n) => hostile.try(() => hostile.upload(dear[n % dear.length]))),
    'new templates': (signal) => lanes(60, signal, (n) => hostile.try(() => hostile.save(`n${n}-${randomUUID()}`))),
    previews: (signal) =>
      lanes(60, signal, async (n) => {
        await hostile.try(() => hostile.save(`v${n % 60}`, { title: randomUUID() }));
        await hostile.try(() => hostile.call('GET', `/v1/templates/v${n % 60}/preview?format=png&scale=3`));
      }),
    // Creating a key takes a second of work, and an account may create only a few per hour.
    keys: (signal) => lanes(20, signal, () => hostile.try(() => hostile.call('POST', '/v1/account/walletA/request'))),
  };
  attacks.all = (signal) =>
    Promise.all(
      Object.values(attacks)
        .slice(0, 5)
        .map((attack) => attack(signal)),
    );

  explainRatios();
  await measure(routes, 3);
  await stall(node);
  const idle = await measure(routes, seconds);
  compare('no load', idle, idle, await stall(node));
  for (const [name, attack] of Object.entries(attacks)) {
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const attacking = attack(ended.signal);
    await pause(2000);
    await stall(node);
    const times = await measure(routes, seconds);
    for (const failure of compare(name, times, idle, await stall(node))) stage.failures.add(failure);
    ended.abort();
    await attacking;
    await pause(3000);
  }
  for (const { problems } of [stranger, hostile]) for (const problem of problems) stage.failures.add(problem);
  console.log(`the attacker's responses: ${JSON.stringify(Object.fromEntries(hostile.statuses))}`);
});

async function lanes(count, signal, work) {
  let n = 0;
  const lane = async () => {
    while (!signal.aborted) if ((await work(n++)) === 429) await pause(50);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

/** Repeatedly sends uploads whose bodies grow a little every second. */
async function trickle(node, { token }, signal) {
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
