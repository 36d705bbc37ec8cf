/**
 * Makes external services fail while clients write: webhook receivers, the mail server and Apple's push service. They
 * all reject, hang, are slow, or send garbage at the same time.
 *
 * Fails on:
 * - a 5xx other than 503 with Retry-After
 * - a phone that is not up to date 60 s after the services have recovered
 * - a lost event or mail
 * - memory that grows by more than 200 MB
 *
 *   npm run soak:outside-services -- [seconds per error, default 20]
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger } from './lib/ledger.mjs';
import { Phones } from './lib/phones.mjs';
import { soak, within } from './lib/stage.mjs';

const seconds = Number(process.argv[2] ?? 20);
const PHONES = 20;
const PHONES_CURRENT_SECONDS = 60;
const TIMEOUT_SECONDS = 120;
const MEMORY_MB = 200;
const publicUrl = 'https://passes.example.com';

/**
 * The functions that make the push service simulate each error. For the other services, the name of the error is
 * enough.
 */
const problems = {
  none: () => undefined,
  reject: (apns) => apns.rejectConnections(),
  hang: (apns) => apns.hang('*'),
  slow: (apns) => apns.delay(3000),
  lie: (apns) => apns.respond('*', { status: 500, reason: 'InternalServerError', times: 1000 }),
  garbage: (apns) => apns.goAway(),
  reset: (apns) => apns.dropConnections(),
};

await soak(async (stage) => {
  const phones = await Phones.start(stage);
  const receivers = [];
  for (let at = 0; at < 4; at += 1) receivers.push(await stage.receiver());
  const mails = await stage.mails();
  const [node] = await stage.nodes(1, {
    ...phones.environment,
    BASE_URL: publicUrl,
    WEBHOOK_HOSTS_ALLOWED: receivers.map(({ host }) => host).join(','),
    SMTP_URL: mails.url,
    MAIL_FROM: 'passes@example.com',
  });
  const [ledger, stranger] = [new Ledger([node.url], publicUrl), new Ledger([node.url], publicUrl)];
  await ledger.open();
  await stranger.open();
  const webhooks = [];
  for (const { url } of receivers) {
    const { body } = await ledger.once('POST', '/v1/webhooks', { url, types: ['pass.created'] });
    webhooks.push(body.webhook?.id ?? body.id);
  }
  await phones.install(ledger, PHONES, () => node.url);
  const before = node.memoryMb;
  const sent = [];
  for (const [problem, misbehave] of Object.entries(problems)) {
    // Leave one receiver healthy.
    for (const outside of [...receivers.slice(1), mails]) outside.problem = problem;
    misbehave(phones.apns);
    const during = AbortSignal.timeout(seconds * 1000);
    const [{ p50, p99 }] = await Promise.all([probe(stranger, during), load(ledger, phones, sent, during)]);
    phones.apns.reset();
    console.log(`${problem.padEnd(8)} a stranger's read: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  for (const outside of [...receivers, mails]) outside.problem = 'none';
  for (const id of webhooks) await replayPending(ledger, `/v1/webhooks/${id}`);
  await recover(stage, ledger, phones);
  const expected = ledger.acknowledged.size + PHONES;
  for (const receiver of receivers) await stage.checkEvents(receiver, expected, TIMEOUT_SECONDS);
  const mailed = await within(TIMEOUT_SECONDS, () => sent.every((to) => mails.received.has(to)));
  console.log(`mails: all ${sent.length} arrived ${mailed.toFixed(1)} s after the events`);
  stage.check(mailed < Infinity, 'mails have not arrived');
  const grown = node.memoryMb - before;
  console.log(`memory: ${before.toFixed(0)} MB, grown by ${grown.toFixed(0)} MB`);
  stage.check(grown <= MEMORY_MB, `memory has grown by ${grown.toFixed(0)} MB`);
  stage.checkResponses([...ledger.responses, ...stranger.responses], { noneAllowed: false });
});

async function recover(stage, ledger, phones) {
  const took = await phones.checkCurrent(stage, ledger, PHONES_CURRENT_SECONDS);
  console.log(`phones: all are current ${took.toFixed(1)} s after the services recovered`);
}

/** Replays events whose next attempt is minutes away, as a client would after repairing its receiver. */
async function replayPending(ledger, webhook) {
  for (let cursor = ''; cursor !== null;) {
    const { body } = await ledger.once('GET', `${webhook}/deliveries?status=pending&limit=100${cursor}`);
    for (const { eventId } of body.data) await ledger.once('POST', `${webhook}/deliveries/${eventId}/replay`);
    cursor = body.nextCursor && `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

/**
 * Makes the service call external services: new passes cause webhooks, changed passes cause pushes, and mails are sent.
 */
async function load(ledger, phones, sent, during) {
  for (let turn = 1; !during.aborted; turn += 1) {
    const { pass } = await ledger.create();
    await phones.change(ledger);
    if (turn % 20 !== 0) continue;
    const to = `${randomUUID()}@example.com`;
    await ledger.once('POST', `/v1/pass/soak/${pass.id}/send`, { to });
    sent.push(to);
  }
}

async function probe(stranger, during) {
  const times = [];
  while (!during.aborted) {
    const startedAt = performance.now();
    await stranger.once('GET', '/v1/templates/soak');
    times.push(performance.now() - startedAt);
    await pause(20);
  }
  times.sort((one, other) => one - other);
  return { p50: times[Math.floor(times.length / 2)], p99: times[Math.floor(times.length * 0.99)] };
}
