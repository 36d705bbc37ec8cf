/**
 * Makes the name server slow, silent and wrong, one after the other, while clients write. All servers of the node have
 * host names: Postgres, the push service, a webhook receiver and the mail server. Each error begins with the end of the
 * open connections to Postgres, so that the node has to look up its name. Runs in separate network and mount namespaces.
 *
 * Fails on:
 * - a 5xx other than 503 with Retry-After, and a call without a response
 * - a response that fails later than 10 s after names can be looked up again
 * - a node that is not ready while the name server is only slow
 * - phones, events or mails that are not up to date 60 s after names can be looked up again
 * - a lost or duplicated write
 *
 *   npm run soak:slow-names -- [seconds of each error, default 20] [names of errors]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Ledger } from './lib/ledger.mjs';
import { NameServer } from './lib/name-server.mjs';
import { every } from './lib/overload.mjs';
import { Phones } from './lib/phones.mjs';
import { countStatuses, requireServer, skip, soak, within } from './lib/stage.mjs';

const [, , seconds = '20', ...wanted] = process.argv;
const PHONES = 4;
const RECOVERY_SECONDS = 10;
const CURRENT_SECONDS = 60;
const LATE_MS = 3000;
const NAMESPACE = 'PASSWRIGHT_SOAK_NAMESPACE';
const publicUrl = 'https://passes.example.com';

/** The settings of the name server for each error. @type {Record<string, Partial<NameServer>>} */
const problems = {
  slow: { lateMs: LATE_MS },
  silent: { problem: 'silent' },
  SERVFAIL: { problem: 'SERVFAIL' },
  NXDOMAIN: { problem: 'NXDOMAIN' },
};

requireServer();
if (!process.env[NAMESPACE]) enterNamespaces();
execFileSync('ip', ['link', 'set', 'lo', 'up']);

await soak(async (stage) => {
  const names = await NameServer.start(stage);
  const cluster = await stage.cluster();
  const [receiver, mails, phones] = [await stage.receiver(), await stage.mails(), await Phones.start(stage)];
  const environment = {
    ...phones.environment,
    DATABASE_URL: cluster.url,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    SMTP_URL: mails.url,
  };
  const byName = Object.entries(environment).map(([name, text]) => [name, text.replace('127.0.0.1', 'localhost')]);
  const [node] = await stage.nodes(1, {
    ...Object.fromEntries(byName),
    BASE_URL: publicUrl,
    MAIL_FROM: 'passes@example.com',
  });
  const ledger = new Ledger([node.url], publicUrl);
  await ledger.open();
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  await phones.install(ledger, PHONES, () => node.url);
  await ledger.once('POST', '/v1/webhooks', { url, types: ['pass.created'] });
  const test = { stage, names, cluster, node, ledger, phones, mails, receiver };
  for (const [name, problem] of Object.entries(problems)) {
    if (wanted.length === 0 || wanted.includes(name)) await stageError(test, name, problem);
  }
  const stored = stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, stored, CURRENT_SECONDS);
  stage.checkResponses(ledger.responses, { noneAllowed: false });
});

async function stageError({ stage, names, cluster, node, ledger, phones, mails }, name, problem) {
  ledger.start(4, 4);
  const queries = names.queries;
  const from = performance.now();
  Object.assign(names, problem);
  cluster.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`);
  const signal = AbortSignal.timeout(Number(seconds) * 1000);
  const to = Array.from({ length: 3 }, () => `${randomUUID()}@example.com`);
  const sent = [];
  // A load balancer asks all the time.
  const checks = every(2000, () => node.health(), signal);
  const calls = every(500, () => Promise.all([phones.change(ledger), send(ledger, to, sent)]), signal);
  await pause(Number(seconds) * 1000);
  const [live, ready] = [await node.health('live'), await node.health()];
  Object.assign(names, { problem: 'ok', lateMs: 0 });
  const healedAt = performance.now();
  await pause(RECOVERY_SECONDS * 1000 + 3000);
  await Promise.all([calls, checks, ledger.stop()]);
  const responses = ledger.inHandSince(from);
  const bad = responses.filter(({ status }) => status === 0 || status >= 500);
  const recovery = Math.max(0, ...bad.map(({ endedAt }) => endedAt - healedAt)) / 1000;
  const longest = Math.max(...responses.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  const isCurrent = async () =>
    sent.every((each) => mails.received.has(each)) && (await phones.retry()) && !(await phones.stale(ledger))[0];
  const current = await within(CURRENT_SECONDS, isCurrent);
  console.log(
    `${name.padEnd(9)} recovery ${recovery.toFixed(1)} s, longest response ${longest.toFixed(1)} s, live ${live},`,
    `ready ${ready}, current after ${current.toFixed(1)} s, ${names.queries - queries} queries,`,
    countStatuses(responses),
  );
  stage.check(names.queries > queries, `${name}: no name was looked up`);
  stage.check(live === 200, `${name}: the node is not live`);
  stage.check(ready === 200 || problem.problem, `${name}: the node is not ready although it can write`);
  stage.check(recovery <= RECOVERY_SECONDS, `${name}: recovery took ${recovery.toFixed(1)} s`);
  stage.check(current < Infinity, `${name}: phones or mails are not current`);
}

/** Sends a mail to the next recipient. Notes the recipient once a node has accepted the call. */
async function send(ledger, to, sent) {
  const next = to.pop();
  if (!next) return;
  const { pass } = await ledger.create(AbortSignal.timeout(1000));
  await ledger.once('POST', `/v1/pass/soak/${pass.id}/send`, { to: next });
  sent.push(next);
}

/** Starts this script again in namespaces of its own. */
function enterNamespaces() {
  if (userInfo().uid !== 0) skip('Only root may make a network namespace and be the user of Postgres in it.');
  if (spawnSync('unshare', ['-n', '-m', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) {
    skip('This machine makes no network namespace.');
  }
  const words = ['-n', '-m', process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const { status } = spawnSync('unshare', words, { stdio: 'inherit', env: { ...process.env, [NAMESPACE]: '1' } });
  process.exit(status ?? 1);
}
