/**
 * Benchmarks how much a webhook slows a write, on Debian's Postgres, which compiles expensive plans with JIT. Two
 * accounts take turns. Each creates a pass, or changes a pass. Only one account has a webhook. Each write begins after
 * the event of the previous write has arrived. Prints medians, and the quartiles of the differences between successive
 * writes. Fails if the difference of the medians is more than 2 ms, or if the server has no JIT.
 *
 *   npm run bench:webhooks -- [writes of each kind, default 400]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { WebhookReceiver } from '../soak/lib/outside-services.mjs';
import { startCluster } from '../soak/lib/postgres-cluster.mjs';
import { median } from './load.mjs';
import { machine, openAccount, saveTemplate, withServers } from './servers.mjs';

const writes = Number(process.argv[2] ?? 400);
const LIMIT_MS = 2;
const WARM_UP = 30;
/** The pause after a write, in ms. Background work of the write, such as jobs, takes at most about this long. */
const QUIET_MS = 20;
const ARRIVES_WITHIN_MS = 10_000;
const scopes = ['templates:write', 'passes:write', 'templates:read', 'passes:read', 'members:read', 'account:write'];

const kinds = {
  'issue a pass': ({ call }, n) => call('POST', '/v1/pass/bench', { fields: fieldsOf(n) }),
  'change a pass': ({ call }, n) => call('PATCH', '/v1/pass/bench/changed', { fields: fieldsOf(n) }),
};

await withServers(async (servers) => {
  const cluster = await startCluster();
  servers.onStop(() => cluster.remove());
  const receiver = await WebhookReceiver.start();
  servers.onStop(() => receiver.stop());
  const service = await servers.startService({ DATABASE_URL: cluster.url, WEBHOOK_HOSTS_ALLOWED: receiver.host });
  const [without, called] = [await openAccount(service, scopes), await openAccount(service, scopes)];
  for (const account of [without, called]) {
    await saveTemplate(account, service.url, 'bench', 'Bench');
    await account.call('POST', '/v1/pass/bench', { id: 'changed' });
  }
  await called.call('POST', '/v1/webhooks', { url: receiver.url });
  const [version, jit] = cluster.sql('SELECT version(), pg_jit_available()').split('|');
  console.log(`\n${machine}; ${version}; JIT ${jit === 't' ? 'available' : 'MISSING'}; ${writes} writes of each kind`);
  if (jit !== 't') process.exitCode = 1;
  for (const [name, write] of Object.entries(kinds)) await compare(name, write, without, called, receiver);
});

async function compare(name, write, without, called, receiver) {
  const times = { without: [], called: [] };
  for (let n = -WARM_UP; n < writes; n++) {
    const sides = [
      ['without', without],
      ['called', called],
    ];
    for (const [side, account] of n % 2 === 0 ? sides : sides.reverse()) {
      const eventsBefore = receiver.received.size;
      const startedAt = performance.now();
      await write(account, n);
      const ms = performance.now() - startedAt;
      if (side === 'called') await arrival(receiver, eventsBefore);
      await pause(QUIET_MS);
      if (n >= 0) times[side].push(ms);
    }
  }
  report(name, times);
}

function report(name, times) {
  const [before, after] = [median(times.without), median(times.called)];
  const differences = times.called.map((ms, n) => ms - times.without[n]).sort((one, other) => one - other);
  const [low, high] = [0.25, 0.75].map((part) => differences[Math.floor(differences.length * part)].toFixed(2));
  const isHeld = after - before <= LIMIT_MS;
  console.log(
    `${name.padEnd(14)} ${before.toFixed(2)} ms without a webhook, ${after.toFixed(2)} ms with one: ` +
      `${(after - before).toFixed(2)} ms more (quartiles of the differences ${low} to ${high})${isHeld ? '' : ', TOO MUCH'}`,
  );
  if (!isHeld) process.exitCode = 1;
}

async function arrival(receiver, eventsBefore) {
  const until = performance.now() + ARRIVES_WITHIN_MS;
  while (receiver.received.size === eventsBefore) {
    if (performance.now() > until) throw new Error('An event has not arrived');
    await pause(2);
  }
}

function fieldsOf(n) {
  return [{ key: 'points', label: 'Points', value: String(n) }];
}
