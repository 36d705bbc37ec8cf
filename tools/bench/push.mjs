/**
 * Benchmarks the notification of all devices after a change of a template. Compares the service with three senders that
 * have the tokens in memory and record nothing: a loop over `node:http2`, node-apn, and the service's push client
 * alone. The service does more: its queue marks the devices, claims them, and records the result of each push. All push
 * to the fake push service of @passwright/testing. With `least`, they push to a server that only responds, which leaves
 * more CPU to the senders. All take turns on one machine, which the push service and the service's Postgres also use.
 * Then prints the service's memory while it notifies more and more devices.
 *
 *   npm run build && node tools/bench/push.mjs [devices, default 20000] [rounds, default 5] [memory at, default 1000,20000,100000] [least]
 */
import { once } from 'node:events';
import { jobsIdle, testCertificates } from '@passwright/testing';
import { median } from './load.mjs';
import { emptyDatabase, SeededPasses } from './seeded-database.mjs';
import { cpuSeconds, machine, openAccount, peakMegabytes, saveTemplate, withServers } from './servers.mjs';

const devices = Number(process.argv[2] ?? 20_000);
const rounds = Number(process.argv[3] ?? 5);
const pushServer = process.argv[5] ?? 'fake';
const memoryAt = (process.argv[4] ?? '1000,20000,100000').split(',').map(Number);
const templateId = 'offer';
const passType = 'pass.com.example.bench';
const publicUrl = 'https://passes.example.com';
const goal = 0.7;
const sizes = [...new Set([...memoryAt, devices])].sort((a, b) => a - b);
const now = () => performance.timeOrigin + performance.now();

await withServers(async (servers) => {
  const { pushService, contenders, seeded } = await startAll(servers);
  const memory = [];
  let results;
  for (const size of sizes) {
    await seeded.growTo(size);
    if (size === devices) results = await race(pushService, contenders, size);
    if (memoryAt.includes(size)) memory.push({ size, ...(await peak(pushService, contenders.ours, size)) });
  }
  report(results, memory);
});

async function startAll(servers) {
  const authority = testCertificates();
  const client = authority.pass({ passTypeIdentifier: passType, development: false });
  const server = authority.server();
  const clientPem = `${client.certificatePem}${client.intermediatePem}`;
  const pushService = await servers.start('push-server.mjs', {
    SERVER_CERTIFICATE: server.certificatePem,
    SERVER_KEY: server.privateKeyPem,
    CLIENT_ROOT: authority.rootPem,
    PUSH_SERVER: pushServer,
  });
  const env = {
    PUSH_URL: pushService.url,
    PUSH_TOPIC: passType,
    CLIENT_CERTIFICATE: clientPem,
    CLIENT_KEY: client.privateKeyPem,
    SERVER_ROOT: authority.rootPem,
  };
  const contenders = {};
  for (const name of ['bare', 'own', 'node-apn']) {
    const { pid, child } = await servers.start('push-client.mjs', { ...env, PUSH_CLIENT: name });
    const begin = (count) => child.send({ count });
    contenders[name] = { pids: () => [pid], begin, ended: () => once(child, 'message') };
  }
  return { pushService, ...(await startOurs(servers, client, pushService, authority.rootPem, contenders)) };
}

async function startOurs(servers, certificate, pushService, ca, peers) {
  const { client, url: databaseUrl, cpuSeconds: databaseSeconds, remove } = await emptyDatabase();
  servers.onStop(remove);
  const service = await servers.startService({
    DATABASE_URL: databaseUrl,
    BASE_URL: publicUrl,
    APPLE_CERTIFICATE: certificate.certificatePem,
    APPLE_PRIVATE_KEY: certificate.privateKeyPem,
    APPLE_INTERMEDIATE: certificate.intermediatePem,
    APPLE_PUSH_URL: pushService.url,
    APPLE_PUSH_CA: ca,
    APPLE_PUSH_WINDOW_SECONDS: '0',
    APPLE_PUSH_PER_HOUR: '0',
  });
  const account = await openAccount(service);
  let revision = 0;
  const change = () => saveTemplate(account, publicUrl, templateId, `Benchmark ${(revision += 1)}`);
  await change();
  const names = { accountId: account.accountId, templateId, passType, passesPerDevice: 1 };
  const ended = () => jobsIdle(databaseUrl, { timeoutMs: 60_000 });
  const ours = { pids: () => [service.pid], databaseSeconds, begin: change, ended };
  return { contenders: { ours, ...peers }, seeded: new SeededPasses(client, names) };
}

async function race(pushService, contenders, count) {
  const results = {};
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, client] of Object.entries(contenders)) {
      const turn = await pushed(pushService, client, count);
      // The first round is not counted, because the code is not compiled yet.
      if (round >= 0) (results[name] ??= []).push(turn);
    }
  }
  return results;
}

/**
 * Makes one sender push to `count` devices. Returns the pushes per second, counted from the first arrival and counted
 * from the call. Also returns the microseconds of CPU per push.
 */
async function pushed(pushService, client, count) {
  const costs = () => [cpuSeconds(...client.pids()), cpuSeconds(pushService.pid), client.databaseSeconds?.() ?? NaN];
  const before = costs();
  const counts = once(pushService.child, 'message');
  pushService.child.send({ count });
  await counts;
  const all = once(pushService.child, 'message');
  await client.begin(count);
  const begun = now();
  const [{ first, last, empty }] = await all;
  await client.ended();
  if (empty > 0) throw new Error(`${empty} pushes had no body`);
  const [cpu, serverCpu, databaseCpu] = costs().map((after, index) => ((after - before[index]) / count) * 1e6);
  const rate = (from) => (count / (last - from)) * 1000;
  return { rate: rate(first), rateFromCall: rate(begun), cpu, serverCpu, databaseCpu };
}

/**
 * Returns the peak memory of the service in MB while it pushes to this many devices. Warms up the service with at least
 * 20,000 pushes before.
 */
async function peak(pushService, ours, count) {
  for (let reported = 0; reported < 20_000; reported += count) await pushed(pushService, ours, count);
  peakMegabytes(...ours.pids());
  const { rate } = await pushed(pushService, ours, count);
  return { rate, megabytes: peakMegabytes(...ours.pids()) };
}

function report(results, memory) {
  const of = (name, figure) => median(results[name].map((turn) => turn[figure]));
  const line = (label, name) =>
    console.log(
      `  ${label.padEnd(38)}${of(name, 'rate').toFixed(0).padStart(7)}/s   from the call on ${of(name, 'rateFromCall').toFixed(0).padStart(6)}/s   CPU per push ${of(name, 'cpu').toFixed(0).padStart(4)} us, of the push service ${of(name, 'serverCpu').toFixed(0)} us`,
    );
  const ratio = (name, other) => median(results[name].map(({ rate }, round) => rate / results[other][round].rate));
  console.log(
    `\n${machine}, ${devices.toLocaleString('en')} devices, medians of ${rounds} rounds; the ${pushServer} push service runs here too\n`,
  );
  line('node:http2 in a loop, window 500', 'bare');
  line('@parse/node-apn 8.1.0, window 500', 'node-apn');
  line("Passwright's client alone, window 500", 'own');
  line('Passwright, with its queue', 'ours');
  console.log(`    and of its Postgres ${of('ours', 'databaseCpu').toFixed(0)} us per push\n`);
  for (const [name, label] of Object.entries({ own: 'the client alone', ours: 'with its queue' })) {
    const bare = ratio(name, 'bare');
    const cpu = of(name, 'cpu') / of('bare', 'cpu');
    console.log(
      `  ${label}: ${bare.toFixed(2)} of the loop (goal ${goal}: ${bare >= goal ? 'met' : 'MISSED'}), ${ratio(name, 'node-apn').toFixed(2)} of node-apn, CPU per push ${cpu.toFixed(2)} x the loop's`,
    );
  }
  console.log();
  for (const { size, rate, megabytes } of memory) {
    console.log(
      `  ${size.toLocaleString('en').padStart(9)} devices: ${rate.toFixed(0)} pushes/s, the service's memory at most ${megabytes.toFixed(0)} MB`,
    );
  }
  console.log();
}
