// Outside services that refuse, hang, are slow or lie: receivers of webhooks, the mail server and Apple's push service, all
// at once, under a load of writes. Fails on a 5xx other than 503 with Retry-After, on a phone that is not current 60 s after
// the services have recovered, on an event or a mail that is lost, and on memory that grows by more than 200 MB.
//
//   npm run soak:outside-services -- [seconds per fault, default 20]
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { deliverPushes, FakeApns, testCertificates, VirtualIPhone } from '@passwright/testing';
import { Ledger } from './lib/ledger.mjs';
import { startNodes } from './lib/nodes.mjs';
import { MailServer, WebhookReceiver } from './lib/outside-services.mjs';

const seconds = Number(process.argv[2] ?? 20);
const PHONES = 20;
const PHONES_CURRENT_SECONDS = 60;
const PATIENCE_SECONDS = 900;
const MEMORY_MB = 200;
const publicUrl = 'https://passes.example.com';
const dir = mkdtempSync(join(tmpdir(), 'passwright-outside-'));
const failures = [];

const authority = testCertificates();
const certificate = authority.pass({ passTypeIdentifier: 'pass.com.example.soak' });
const apns = await FakeApns.start({ root: authority.rootPem });
const receivers = await Promise.all(Array.from({ length: 4 }, () => WebhookReceiver.start()));
const mails = await MailServer.start();
const [node] = await startNodes(1, {
  BASE_URL: publicUrl,
  DATA_DIR: dir,
  WEBHOOK_HOSTS_ALLOWED: receivers.map(({ host }) => host).join(','),
  SMTP_URL: mails.url,
  MAIL_FROM: 'passes@example.com',
  APPLE_CERTIFICATE: certificate.certificatePem,
  APPLE_PRIVATE_KEY: certificate.privateKeyPem,
  APPLE_INTERMEDIATE: certificate.intermediatePem,
  APPLE_PUSH_URL: apns.url,
  APPLE_PUSH_CA: apns.ca,
  APPLE_PUSH_PER_HOUR: '0',
});

/** What each fault is at the push service; the others know it by its name. */
const faults = {
  none: () => undefined,
  refuse: () => apns.refuseConnections(),
  hang: () => apns.hang('*'),
  slow: () => apns.delay(3000),
  lie: () => apns.answer('*', { status: 500, reason: 'InternalServerError', times: 1000 }),
  garbage: () => apns.goAway(),
  reset: () => apns.dropConnections(),
};
const ledger = new Ledger([node.url], publicUrl);
const stranger = new Ledger([node.url], publicUrl);
const sent = [];
const webhooks = [];
const startedAt = new Date().toISOString();
let turn = 0;

try {
  await run();
} finally {
  await node.stop();
  await Promise.all([...receivers, mails, apns].map((outside) => outside.stop()));
  rmSync(dir, { recursive: true, force: true });
}
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);

async function run() {
  await ledger.open();
  await stranger.open();
  for (const { url } of receivers) {
    const { body } = await ledger.once('POST', '/v1/webhooks', { url, types: ['pass.created'] });
    webhooks.push(body.webhook?.id ?? body.id);
  }
  const held = await installPasses();
  const phones = held.map(({ phone }) => phone);
  const delivery = deliverPushes(apns, phones);
  const before = memoryMb();
  for (const [fault, misbehave] of Object.entries(faults)) {
    // One receiver is healthy throughout.
    for (const outside of [...receivers.slice(1), mails]) outside.fault = fault;
    misbehave();
    const during = AbortSignal.timeout(seconds * 1000);
    const [{ p50, p99 }] = await Promise.all([probe(during), load(during, held)]);
    apns.reset();
    console.log(`${fault.padEnd(8)} a stranger's read: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  for (const outside of [...receivers, mails]) outside.fault = 'none';
  await recover(held, phones);
  await delivery.stop();
  const grown = memoryMb() - before;
  console.log(`memory: ${before.toFixed(0)} MB, grown by ${grown.toFixed(0)} MB`);
  if (grown > MEMORY_MB) failures.push(`memory has grown by ${grown.toFixed(0)} MB`);
  const wrong = [...ledger.responses, ...stranger.responses].filter(
    ({ status, retryAfter }) => status === 0 || (status >= 500 && !(status === 503 && retryAfter)),
  );
  if (wrong.length > 0) failures.push(`${wrong.length} responses: ${[...new Set(wrong.map(({ status }) => status))]}`);
}

/** Each phone holds one pass. */
async function installPasses() {
  const held = [];
  for (let at = 0; at < PHONES; at += 1) {
    const { body } = await ledger.once('POST', '/v1/pass/soak', { id: `held-${at}` });
    const response = await fetch(node.url + new URL(body.walletAUrl).pathname);
    const phone = VirtualIPhone.create({ roots: [authority.rootPem], route: () => node.url });
    const options = { lastModified: response.headers.get('last-modified') };
    await phone.add(Buffer.from(await response.arrayBuffer()), options);
    held.push({ phone, id: body.pass.id, shown: undefined });
  }
  return held;
}

/** All that makes the service call out: new passes (webhooks), mails, changed passes (pushes). */
async function load(during, held) {
  while (!during.aborted) {
    turn += 1;
    await ledger.create();
    const pass = held[turn % held.length];
    pass.shown = String(turn);
    const fields = [{ key: 'turn', label: 'Turn', value: pass.shown }];
    await ledger.once('PATCH', `/v1/pass/soak/${pass.id}`, { fields });
    if (turn % 20 !== 0) continue;
    const to = `${randomUUID()}@example.com`;
    await ledger.once('POST', `/v1/pass/soak/${pass.id}/send`, { to });
    sent.push(to);
  }
}

async function probe(during) {
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

/** Waits until everything has arrived, what receivers had refused after a replay. */
async function recover(held, phones) {
  const since = performance.now();
  const elapsed = () => (performance.now() - since) / 1000;
  // The first half hour of retries belongs to a receiver that is still away; who has mended it asks for a replay.
  for (const id of webhooks) await ledger.once('POST', `/v1/webhooks/${id}/replay`, { since: startedAt });
  const expected = ledger.acknowledged.size + PHONES;
  const waiting = {
    phones: () => held.filter(({ phone, shown }) => turnOn(phone) !== shown).length,
    events: () => receivers.filter(({ received }) => received.size < expected).length,
    mails: () => sent.filter((to) => !mails.received.has(to)).length,
  };
  for (const [name, missing] of Object.entries(waiting)) {
    while (missing() > 0 && elapsed() < PATIENCE_SECONDS) {
      await Promise.all(phones.map((phone) => phone.retryFailed()));
      await pause(200);
    }
    console.log(`${name} all arrived ${elapsed().toFixed(1)} s after the services recovered`);
    if (missing() > 0) failures.push(`${missing()} ${name} have not arrived`);
    if (name === 'phones' && elapsed() > PHONES_CURRENT_SECONDS) failures.push('phones were late');
  }
}

/** The turn whose change a phone shows. */
function turnOn(phone) {
  const { json } = [...phone.passes.values()][0];
  const style = json.coupon ?? json.generic;
  return Object.values(style)
    .flat()
    .find(({ key } = {}) => key === 'turn')?.value;
}

function memoryMb() {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${node.child.pid}/status`, 'utf8'))[1]) / 1024;
}
