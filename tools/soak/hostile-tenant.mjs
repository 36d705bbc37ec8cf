/**
 * Attacks a service over HTTP in the name of one tenant: first with each attack alone, then with all of them together.
 * Meanwhile, another tenant (the stranger) makes a few requests. Prints p50 and p99 of each route of the stranger,
 * their ratios to the times without load, and the longest stall of the event loop.
 *
 * Fails on:
 * - a p99 of more than 3 times the p99 without load
 * - an event loop that stalls for more than 250 ms
 * - a response to the stranger other than 2xx
 * - a 5xx other than 503 with Retry-After
 *
 * The short form measures no times. It runs all attacks together, and counts the attacker's waiting requests that the
 * service answers before a later request of the stranger.
 *
 * A real attacker has its own machine. With --low-priority, the attacker here uses only processor time that the
 * service, its Postgres and the stranger do not need.
 *
 *   npm run soak:hostile-tenant -- [--low-priority] [seconds for each attack, default 20, or "short"] [names of attacks]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { names } from './lib/attacks.mjs';
import { soak } from './lib/stage.mjs';
import { observed, stall } from './lib/observed.mjs';
import { compare, countStoredBefore, explainRatios, measure } from './lib/stranger.mjs';
import { smallImage, Tenant } from './lib/tenant.mjs';

const {
  values: { 'low-priority': isLowPriority, help },
  positionals: [length = '20', ...wanted],
} = parseArgs({
  options: { 'low-priority': { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
const seconds = Number(length);
const known = [...names, 'all'];
if (help || !(length === 'short' || seconds > 0) || wanted.some((name) => !known.includes(name))) {
  console.log('npm run soak:hostile-tenant -- [--low-priority] [seconds for each attack, or "short"] [attacks]');
  console.log(`Attacks: ${known.join(', ')}`);
  process.exit(help ? 0 : 1);
}
/** The number of read requests that the attacker sends in one packet. */
const READS_AT_ONCE = 120;
const HOSTILE = '203.0.113.66';

await soak(async (stage) => {
  const hangs = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(hangs, 'listening');
  stage.later(() => hangs.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (hangs.address());
  const hook = `127.0.0.1:${port}`;
  const environment = { RATE_LIMIT_PER_MINUTE: '30000', TRUST_PROXY: '1', WEBHOOK_HOSTS_ALLOWED: hook };
  const [node] = await stage.nodes(1, environment, observed);
  const hostile = await (await new Tenant(node.url, { address: HOSTILE }).register()).useKey();
  const env = { NODE_URL: node.url, TOKEN: hostile.token, ADDRESS: HOSTILE, WEBHOOK_URL: `http://${hook}/` };
  env.WEBHOOK_ID = await prepare(hostile);
  const stranger = await (await new Tenant(node.url, { address: '198.51.100.7' }).register()).useKey();
  const routes = await routesOf(stranger);

  const attack = (name) => startAttack(stage, name, env);
  if (length === 'short') await checkFairness(stage, { attack, hostile, stranger, routes });
  else await timeRoutes(stage, { attack, node, routes });
  for (const problem of stranger.problems) stage.failures.add(problem);
});

async function startAttack(stage, name, env) {
  const attacker = fork(fileURLToPath(new URL('lib/attacks.mjs', import.meta.url)), name === 'all' ? names : [name], {
    env: { ...process.env, ...env },
    detached: isLowPriority,
  });
  stage.later(() => attacker.kill('SIGKILL'));
  if (isLowPriority) lowerPriority(/** @type {number} */ (attacker.pid));
  await once(attacker, 'message');
  return attacker;
}

/**
 * Gives a detached process the lowest priority. With autogroups, Linux compares priorities only within a session, and
 * each Postgres process has its own session. So also set the priority of the session.
 */
function lowerPriority(pid) {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const autogroup = `/proc/${pid}/autogroup`;
  if (existsSync(autogroup)) writeFileSync(autogroup, String(constants.priority.PRIORITY_LOW));
}

/** Measures the stranger's routes without load and during each attack. */
async function timeRoutes(stage, { attack, node, routes }) {
  explainRatios();
  await measure(routes, Math.min(seconds, 3));
  await stall(node);
  const idle = await measure(routes, Math.max(seconds, 4));
  compare('no load', idle, idle, await stall(node));
  const chosen = wanted.length > 0 ? wanted : known;
  for (const name of chosen) {
    const attacker = await attack(name);
    await pause(Math.min(seconds * 500, 2000));
    await stall(node);
    const times = await measure(routes, seconds);
    for (const failure of compare(name, times, idle, await stall(node))) stage.failures.add(failure);
    await endAttack(stage, name, attacker);
    await pause(Math.min(seconds * 300, 3000));
  }
}

/**
 * Runs all attacks and checks the responses of both tenants. Also checks that a later request of the stranger is
 * answered before most of the attacker's waiting requests.
 */
async function checkFairness(stage, { attack, hostile, stranger, routes }) {
  const attacker = await attack('all');
  while (Object.keys(await statusesOf(attacker)).length === 0) await pause(100);
  const times = await measure(routes, 1);
  await endAttack(stage, 'all', attacker);
  // The stranger must have one pass from the preparation, and one for each call of the `issue` route.
  const { body: list } = await stranger.call('GET', '/v1/pass/still?limit=100');
  stage.check(list.data.length === times.issue.length + 1, `${list.data.length} passes of ${times.issue.length + 1}`);
  const before = await countStoredBefore(routes.template, hostile, '/v1/templates', READS_AT_ONCE);
  console.log(
    `${before} of ${READS_AT_ONCE} requests of the attacker were answered before one that the stranger sent later`,
  );
  stage.check(before < READS_AT_ONCE / 2, `the stranger waited for ${before} requests of the attacker`);
}

async function endAttack(stage, name, attacker) {
  const statuses = await statusesOf(attacker);
  console.log(`  the attacker's responses: ${JSON.stringify(statuses)}`);
  const wrong = Object.keys(statuses).filter((status) => Number(status) >= 500 && status !== '503');
  stage.check(wrong.length === 0, `${name}: the attacker got ${wrong.join()}`);
  attacker.kill('SIGKILL');
}

async function statusesOf(attacker) {
  const response = once(attacker, 'message');
  attacker.send('statuses');
  const [{ statuses }] = await response;
  return statuses;
}

/**
 * Creates the resources that the attacks use.
 * @returns the id of a webhook without an address
 */
async function prepare(hostile) {
  await hostile.save('still');
  await hostile.save('large');
  const backFields = Array.from({ length: 10 }, (_, n) => ({ key: `k${n}`, label: 'Large', value: 'x'.repeat(4000) }));
  await Promise.all(
    Array.from({ length: 100 }, () => hostile.try(() => hostile.call('POST', '/v1/pass/large', { backFields }))),
  );
  return (await hostile.call('POST', '/v1/webhooks', {})).body.id;
}

/**
 * Creates resources of the stranger.
 * @returns the calls that are measured, by name
 */
async function routesOf(stranger) {
  await stranger.save('still');
  const images = await Promise.all(Array.from({ length: 200 }, () => smallImage()));
  const { body } = await stranger.call('POST', '/v1/pass/still', { id: 'p' });
  const { body: webhook } = await stranger.call('POST', '/v1/webhooks', {});
  const path = (url) => new URL(url).pathname;
  let turn = 0;
  const get = (address) => () => stranger.call('GET', address);
  return {
    template: get('/v1/templates/still'),
    templates: get('/v1/templates'),
    pass: get('/v1/pass/still/p'),
    passes: get('/v1/pass/still'),
    issue: () => stranger.call('POST', '/v1/pass/still', {}),
    change: () => stranger.call('PATCH', '/v1/pass/still/p', { metadata: { turn: turn++ } }),
    package: get(path(body.walletAUrl)),
    page: get(path(body.webUrl)),
    account: get('/v1/account'),
    events: get(`/v1/webhooks/${webhook.id}/events`),
    upload: () => stranger.upload(images[turn++ % images.length]),
    preview: async () => {
      await stranger.save('still', { title: `Turn ${turn++}` });
      const startedAt = performance.now();
      await stranger.call('GET', '/v1/templates/still/preview?format=png&scale=2');
      return startedAt;
    },
    document: get('/openapi.json'),
    live: get('/health/live'),
  };
}
