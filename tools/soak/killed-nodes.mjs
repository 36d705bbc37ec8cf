/**
 * Kills nodes with `kill -9` on Debian's Postgres while clients write. Every few seconds, one of two nodes is killed
 * and restarted. At the end, both are killed at the same time. Each kill interrupts pushes and mails. The last kill
 * also interrupts a write to Google Wallet.
 *
 * Fails on:
 * - an acknowledged write that is lost or duplicated
 * - an event that its receiver never gets
 * - a phone or a mail that is more than 30 s late after the killed nodes are ready again
 * - an object at Google that is more than two minutes late
 * - a voided pass without exactly one entry in the audit trail
 * - a counter that differs from the stored rows
 * - a 5xx other than 503 with Retry-After
 *
 *   npm run soak:killed-nodes -- [kills of one node, default 10]
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GoogleHolder } from './lib/google-holder.mjs';
import { Ledger } from './lib/ledger.mjs';
import { every } from './lib/overload.mjs';
import { Phones } from './lib/phones.mjs';
import { requireServer, soak, within } from './lib/stage.mjs';

const kills = Number(process.argv[2] ?? 10);
/**
 * The time limit for the interrupted work after a kill. A node counts as dead after 6 s. Another node then continues
 * its work.
 */
const RECOVERY_SECONDS = 30;
/**
 * The time limit of an interrupted write to Google. The write's claim lasts a minute, a schedule looks for expired
 * claims every minute, and the write takes some seconds.
 */
const GOOGLE_SECONDS = 130;
const PHONES = 5;
const publicUrl = 'https://passes.example.com';

requireServer();
await soak(async (stage) => {
  const cluster = await stage.cluster();
  const sql = (text) => cluster.sql(text);
  const [receiver, mails, phones] = [await stage.receiver(), await stage.mails(), await Phones.start(stage)];
  const holder = await GoogleHolder.start(stage, () => nodes[0].url);
  const environment = {
    ...phones.environment,
    ...holder.environment,
    BASE_URL: publicUrl,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    SMTP_URL: mails.url,
    MAIL_FROM: 'passes@example.com',
    APPLE_PUSH_WINDOW_SECONDS: '1',
  };
  const env = (at) => ({ DATABASE_URL: `${cluster.url}?application_name=${applicationOf(at)}` });
  const nodes = await stage.nodes(2, environment, { env });
  const ledger = new Ledger(
    nodes.map(({ url }) => url),
    publicUrl,
  );
  await ledger.open();
  await phones.install(ledger, PHONES, () => nodes.find(({ ended }) => !ended)?.url ?? nodes[0].url);
  await holder.save(ledger, nodes[0].url);
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  const test = { stage, sql, nodes, ledger, phones, mails, holder };
  ledger.start(8, 10);
  const ended = new AbortController();
  let voided = 0;
  const voiding = every(
    100,
    async () => {
      if (await createVoided(ledger, ended.signal)) voided += 1;
    },
    ended.signal,
  );
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(1500 + Math.random() * 1500);
    await killInHand(test, 1);
  }
  const hasArrived = holder.hangNextWrite();
  await holder.change(ledger, 'last note');
  const killedAt = await killInHand(test, nodes.length, hasArrived);
  ended.abort();
  await Promise.all([voiding, ledger.stop()]);
  const stored = stage.checkWrites(ledger, sql);
  await stage.checkEvents(receiver, stored, RECOVERY_SECONDS);
  checkAuditLog(stage, sql, voided);
  const sinceKill = () => (performance.now() - killedAt) / 1000;
  await within(GOOGLE_SECONDS - sinceKill(), () => holder.shows('last note'));
  const isCurrent = holder.shows('last note');
  console.log(
    `the object at Google is ${isCurrent ? '' : 'NOT '}current ${sinceKill().toFixed(1)} s after the last kill`,
  );
  stage.check(isCurrent, 'the object at Google does not show the last note');
  stage.checkResponses(ledger.responses);
});

/**
 * Kills one node or all nodes while they push and send mails. Restarts them and checks that they complete this work.
 * @returns the time of the kill
 */
async function killInHand({ stage, sql, nodes: all, ledger, phones, mails }, count, alsoInHand = () => true) {
  phones.apns.hang('*');
  mails.problem = 'slow';
  const to = Array.from({ length: 2 * all.length }, () => `${randomUUID()}@example.com`);
  // The service limits the mails per pass to a few an hour, so create another pass.
  const { pass } = await ledger.create();
  for (const each of to) await sure(() => ledger.once('POST', `/v1/pass/soak/${pass.id}/send`, { to: each }));
  for (let change = 0; change < PHONES; change += 1) await sure(() => phones.change(ledger));
  let nodes = all.slice(0, count);
  const isInHand = () => {
    const held = all.map((_, at) => heldBy(sql, at));
    if (count === all.length) return alsoInHand() && held.some(({ mails }) => mails) && held.some(({ pages }) => pages);
    const busy = held.findIndex((each) => each.mails && each.pages);
    if (busy >= 0) nodes = [all[busy]];
    return busy >= 0;
  };
  stage.check((await within(RECOVERY_SECONDS, isInHand)) < Infinity, 'a killed node had no push or no mail in hand');
  await Promise.all(nodes.map((node) => node.kill()));
  const killedAt = performance.now();
  phones.apns.reset();
  mails.problem = 'none';
  for (const node of nodes) node.start();
  for (const node of nodes) await node.ready();
  const ready = (performance.now() - killedAt) / 1000;
  const isDone = async () =>
    to.every((each) => mails.received.has(each)) && (await phones.retry()) && (await phones.stale(ledger)).length === 0;
  const took = ready + (await within(RECOVERY_SECONDS, isDone));
  const names = nodes.map((node) => applicationOf(all.indexOf(node))).join(' and ');
  console.log(
    `${names} killed: ready again after ${ready.toFixed(1)} s, pushes and mails done after ${took.toFixed(1)} s`,
  );
  const late = to.filter((each) => !mails.received.has(each)).length;
  stage.check(took < Infinity, `after a kill phones are late: ${await phones.stale(ledger)}; so are ${late} mails`);
  return killedAt;
}

/** Repeats a call until a node accepts it. */
async function sure(call) {
  const isAccepted = async () => {
    await call();
    return true;
  };
  if ((await within(RECOVERY_SECONDS, isAccepted)) === Infinity)
    throw new Error('no node accepts a call before a kill');
}

/** Returns the `application_name` by which a test recognises a node's database connections. */
function applicationOf(at) {
  return `node-${at + 1}`;
}

/**
 * Counts the mails and the pages of devices that a node is working on. The node holds an advisory lock on the id in its
 * jobs and claims; see worker-presence.ts and claimant.service.ts of libs/platform/jobs.
 */
function heldBy(sql, at) {
  const locks = `SELECT classid, objid FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND application_name = '${applicationOf(at)}'`;
  const [mails, pages] = sql(
    `SELECT (SELECT count(*) FROM graphile_worker._private_jobs job
        JOIN graphile_worker._private_tasks task ON task.id = job.task_id
        WHERE task.identifier = 'passes.mail' AND job.locked_at IS NOT NULL
          AND (${0x6a6f6273}::oid, (hashtext(job.locked_by) & 2147483647)::oid) IN (${locks})),
      (SELECT count(*) FROM apple_push_page
        WHERE claim IS NOT NULL AND (${0x636c6d73}::oid, claimed_by::oid) IN (${locks}))`,
  ).split('|');
  return { mails: Number(mails), pages: Number(pages) };
}

/**
 * Creates a pass and voids it, so that the audit trail gets an entry. Repeats each call until a node responds.
 * @returns false if `signal` aborts first
 */
async function createVoided(ledger, signal) {
  const created = await ledger.create(signal);
  if (!created) return false;
  while (!signal.aborted) {
    try {
      await ledger.once('POST', `/v1/pass/soak/${created.pass.id}/void`);
      return true;
    } catch (error) {
      // The pass is already voided: an earlier call has done it, but its response was lost.
      if (error.status === 409) return true;
      await pause(100);
    }
  }
  return false;
}

/** Compares the entries in the audit trail with the number of voided passes. */
function checkAuditLog(stage, sql, acknowledged) {
  const [voided, wrong] = sql(
    `SELECT count(*) FILTER (WHERE voided_at IS NOT NULL),
      count(*) FILTER (WHERE coalesce(entries, 0) <> (voided_at IS NOT NULL)::int)
    FROM pass FULL JOIN (
      SELECT target_id, count(*) AS entries FROM audit_event WHERE action = 'pass.voided' GROUP BY target_id
    ) logged ON logged.target_id = pass.template_id || ':' || pass.id`,
  )
    .split('|')
    .map(Number);
  console.log(`audit trail: ${acknowledged} acknowledged, ${voided} voided, ${wrong} without exactly one entry`);
  stage.check(acknowledged > 0 && voided >= acknowledged, `${acknowledged} passes were voided, ${voided} are stored`);
  stage.check(wrong === 0, `${wrong} of ${voided} voided passes do not have exactly one audit entry`);
}
