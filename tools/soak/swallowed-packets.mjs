/**
 * Silently drops the packets between a node and one server after the other, while clients write: Postgres, the push
 * service, Google Wallet, a webhook receiver and the mail server. Between the node and Postgres and the push service,
 * it also loses three of ten packets, and rejects every packet with a reset. Runs in a separate network namespace, in
 * which iptables has a rule for the packets to and from a port.
 *
 * Fails:
 * - if a response fails later than 10 s after Postgres can be reached again
 * - if the absence of any other server affects a response
 * - if phones, objects, events or mails are not up to date 60 s after their server can be reached again
 * - on a lost or duplicated write
 *
 *   npm run soak:swallowed-packets -- [seconds of each error, default 20] [names of servers]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GoogleHolder } from './lib/google-holder.mjs';
import { Ledger } from './lib/ledger.mjs';
import { Phones } from './lib/phones.mjs';
import { requirePackage, requireServer, skip, soak, within } from './lib/stage.mjs';

const [, , seconds = '20', ...wanted] = process.argv;
const PHONES = 5;
const RECOVERY_SECONDS = 10;
const CURRENT_SECONDS = 60;
const NAMESPACE = 'PASSWRIGHT_SOAK_NAMESPACE';
const publicUrl = 'https://passes.example.com';

/** The ends of the rules of iptables, by what happens to the packets. */
const fates = {
  dropped: ['-j', 'DROP'],
  'lost at times': ['-m', 'statistic', '--mode', 'random', '--probability', '0.3', '-j', 'DROP'],
  reset: ['-j', 'REJECT', '--reject-with', 'tcp-reset'],
};

requireServer();
if (!process.env[NAMESPACE]) enterNamespace();
execFileSync('ip', ['link', 'set', 'lo', 'up']);

await soak(async (stage) => {
  const cluster = await stage.cluster();
  const [receiver, mails, phones] = [await stage.receiver(), await stage.mails(), await Phones.start(stage)];
  const holder = await GoogleHolder.start(stage, () => node.url);
  const [node] = await stage.nodes(1, {
    ...phones.environment,
    ...holder.environment,
    BASE_URL: publicUrl,
    DATABASE_URL: cluster.url,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    SMTP_URL: mails.url,
    MAIL_FROM: 'passes@example.com',
  });
  const ledger = new Ledger([node.url], publicUrl);
  await ledger.open();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  await phones.install(ledger, PHONES, () => node.url);
  await holder.save(ledger, node.url);
  const work = { ledger, phones, holder, receiver, mails };
  const servers = {
    Postgres: { port: cluster.port, judge: judgeRecovery },
    'database, lost at times': { port: cluster.port, judge: judgeRecovery, fate: fates['lost at times'] },
    'database, reset': { port: cluster.port, judge: judgeRecovery, fate: fates.reset },
    'push service': { port: new URL(phones.apns.url).port, judge: judgeOutside },
    'APNs, lost at times': {
      port: new URL(phones.apns.url).port,
      judge: judgeOutside,
      fate: fates['lost at times'],
    },
    'APNs, reset': { port: new URL(phones.apns.url).port, judge: judgeOutside, fate: fates.reset },
    Google: { port: new URL(holder.google.urls.api).port, judge: judgeOutside },
    webhooks: { port: new URL(receiver.url).port, judge: judgeOutside },
    mail: { port: new URL(mails.url).port, judge: judgeOutside },
  };
  for (const [name, { port, judge, fate = fates.dropped }] of Object.entries(servers)) {
    if (wanted.length > 0 && !wanted.some((each) => name.includes(each))) continue;
    await judge(stage, name, work, () => swallow(stage, port, fate, work));
  }
  stage.checkWrites(ledger, (text) => cluster.sql(text));
  stage.checkResponses(ledger.responses);
});

/** Starts this script again in a separate network namespace. */
function enterNamespace() {
  requirePackage('iproute2', hasProgram('ip'));
  requirePackage('iptables', hasProgram('iptables'));
  if (userInfo().uid !== 0) skip('Only root may make a network namespace and be the user of Postgres in it.');
  const probe = 'ip link set lo up && iptables -A INPUT -p tcp --dport 1 -j DROP';
  if (spawnSync('unshare', ['-n', 'sh', '-c', probe], { stdio: 'ignore' }).status !== 0) {
    skip('This machine makes no network namespace with iptables.');
  }
  const words = ['-n', process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { status } = spawnSync('unshare', words, { stdio: 'inherit', env: { ...process.env, [NAMESPACE]: '1' } });
  process.exit(status ?? 1);
}

function hasProgram(name) {
  return spawnSync(name, ['--help'], { stdio: 'ignore' }).error === undefined;
}

/**
 * Drops or rejects packets of a port under load.
 * @returns the beginning and the end of the error, and the mails sent meanwhile
 */
async function swallow(stage, port, fate, { ledger, phones, holder }) {
  // The reset itself comes from the port, so it must pass.
  const sides = fate === fates.reset ? ['--dport'] : ['--dport', '--sport'];
  const rules = sides.map((side) => ['INPUT', '-p', 'tcp', side, String(port), ...fate]);
  ledger.start(4, 4);
  const from = performance.now();
  for (const rule of rules) execFileSync('iptables', ['-I', ...rule]);
  const until = from + Number(seconds) * 1000;
  const to = `${randomUUID()}@example.com`;
  // These calls fail while Postgres is unreachable.
  const calls = [ledger.once('POST', `/v1/pass/soak/${holder.passId}/send`, { to })];
  while (performance.now() < until) {
    calls.push(phones.change(ledger), holder.change(ledger, to));
    await Promise.race([Promise.allSettled(calls.splice(0)), pause(1000)]);
    await pause(300);
  }
  stage.check(droppedPackets() > 0, `no packet of port ${port} was dropped or rejected`);
  for (const rule of rules) execFileSync('iptables', ['-D', ...rule]);
  return { from, healedAt: performance.now(), to };
}

/** Counts the packets that the current rules have dropped or rejected. */
function droppedPackets() {
  const lines = execFileSync('iptables', ['-nvxL', 'INPUT'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => / (DROP|REJECT) /.test(line)).reduce((sum, line) => sum + parseInt(line, 10), 0);
}

/** Checks that no response fails later than 10 s after the recovery. */
async function judgeRecovery(stage, name, { ledger, phones }, problem) {
  const { from, healedAt } = await problem();
  await pause(RECOVERY_SECONDS * 1000 + 3000);
  await ledger.stop();
  const bad = ledger.inHandSince(from).filter(({ status }) => status === 0 || status >= 500);
  const recovery = Math.max(0, ...bad.map(({ endedAt }) => endedAt - healedAt)) / 1000;
  const longest = Math.max(...ledger.inHandSince(from).map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  console.log(
    `${name}: recovery ${recovery.toFixed(1)} s, longest response ${longest.toFixed(1)} s, ${bad.length} rejected`,
  );
  stage.check(recovery <= RECOVERY_SECONDS, `${name}: recovery took ${recovery.toFixed(1)} s`);
  const current = await within(CURRENT_SECONDS, async () => (await phones.retry()) && !(await phones.stale(ledger))[0]);
  stage.check(current < Infinity, `${name}: phones are not current`);
}

/** Checks that no response fails or slows down, and that delayed deliveries arrive once the server is back. */
async function judgeOutside(stage, name, work, problem) {
  const { ledger, phones, holder, receiver, mails } = work;
  const { from, to } = await problem();
  await ledger.stop();
  const bad = ledger.inHandSince(from).filter(({ status }) => status === 0 || status >= 400);
  stage.check(
    bad.length === 0,
    `${name}: ${bad.length} responses suffered: ${new Set(bad.map(({ status }) => status))}`,
  );
  const events = receiver.received.size;
  await ledger.create();
  const last = `last ${name}`;
  await holder.change(ledger, last);
  const arrived = {
    phones: async () => (await phones.retry()) && (await phones.stale(ledger)).length === 0,
    objects: () => holder.shows(last),
    events: () => receiver.received.size > events,
    mails: () => mails.received.has(to),
  };
  const took = Object.entries(arrived).map(async ([kind, holds]) => {
    return { kind, time: await within(CURRENT_SECONDS, holds) };
  });
  const times = await Promise.all(took);
  console.log(`${name}: ${times.map(({ kind, time }) => `${kind} after ${time.toFixed(1)} s`).join(', ')}`);
  for (const { kind, time } of times) stage.check(time < Infinity, `${name}: ${kind} are late`);
}
