/**
 * Performs a rolling upgrade. Two nodes of an earlier version serve writes on Debian's Postgres. Nodes of this version
 * replace them one after the other, so for a while both versions run side by side. There are virtual iPhones, members,
 * and messages to a holder at Google Wallet. The test sends messages to nodes of this version.
 *
 * Fails on:
 * - an acknowledged write that is lost or duplicated
 * - an event that its receiver never gets
 * - a phone that is not up to date
 * - a message that Google gets twice or never
 * - a member or a user that one version writes and the other cannot read
 * - a correct call that a node rejects, for example with 404
 * - a 5xx other than 503 with Retry-After
 *
 * Without a folder, the earlier version is the version before the newest migration, from the git history.
 *
 *   npm run soak:rolling-upgrade -- [seconds side by side, default 20] [folder of an earlier version, built]
 */
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { unpackEarlierVersion } from './lib/earlier-version.mjs';
import { GoogleHolder } from './lib/google-holder.mjs';
import { Ledger } from './lib/ledger.mjs';
import { freePort, ServiceNode } from './lib/nodes.mjs';
import { every } from './lib/overload.mjs';
import { Phones } from './lib/phones.mjs';
import { countStatuses, requireServer, soak, within } from './lib/stage.mjs';

const [, , sideBySide = '20', folder] = process.argv;
const RECOVERY_SECONDS = 60;
const PHONES = 5;
const publicUrl = 'https://passes.example.com';

/** Members that one node writes and the other node reads. */
class Members {
  exchanged = 0;
  #turn = 0;

  constructor(stage, { urls, token }) {
    this.stage = stage;
    this.nodes = urls.map((url) => Object.assign(new Ledger([url], publicUrl), { token }));
  }

  async exchange() {
    const turn = (this.#turn += 1);
    const [writer, reader] = turn % 2 === 0 ? this.nodes : this.nodes.toReversed();
    const person = {
      email: `m${turn}@example.com`,
      name: `Ada ${turn}`,
      status: 'active',
      expiry: '2099-01-01T00:00:00Z',
    };
    const { body: written } = await writer.once('POST', '/v1/memberships/members', person);
    const { body: read } = await reader.once('GET', `/v1/memberships/members/${written.id}`);
    this.stage.check(
      read.name === person.name && read.email === person.email,
      `a member reads ${JSON.stringify(read)}`,
    );
    this.exchanged += 1;
  }
}

requireServer();
await soak(async (stage) => {
  const earlier = folder
    ? { main: join(resolve(folder), 'apps/api/dist/main.js'), execArgv: [], commit: folder }
    : unpackEarlierVersion(join(stage.dataDir, 'earlier'));
  if (!earlier)
    return console.log('MISSING This checkout lacks the history with the version before the newest migration.');
  console.log(`The earlier version is ${earlier.commit}.`);
  const cluster = await stage.cluster();
  const receiver = await stage.receiver();
  const ports = [await freePort(), await freePort()];
  const phones = await Phones.start(stage);
  const holder = await GoogleHolder.start(stage, () => nodes[0].url);
  const environment = {
    ...phones.environment,
    ...holder.environment,
    BASE_URL: publicUrl,
    DATABASE_URL: cluster.url,
    DATA_DIR: join(stage.dataDir, 'data'),
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    // Do not encrypt personal data, because the first release cannot read encrypted members.
    ...(folder && { PERSONAL_DATA: 'clear' }),
  };
  const nodes = stage.adopt(ports.map((port) => new ServiceNode(port, environment, earlier.main, earlier.execArgv)));
  for (const node of nodes) await begin(node);
  const ledger = new Ledger(
    nodes.map(({ url }) => url),
    publicUrl,
  );
  await ledger.open();
  await phones.install(ledger, PHONES, () => nodes[0].url);
  await holder.save(ledger, nodes[0].url);
  const members = new Members(stage, ledger);
  await ledger.openClub();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  ledger.start(6, 10);
  const ended = new AbortController();
  const others = [
    every(300, () => phones.change(ledger), ended.signal),
    every(1000, () => phones.retry(), ended.signal),
    every(500, () => members.exchange(), ended.signal),
  ];
  const messages = [];
  const users = [];
  await signIn(stage, users, members.nodes);
  for (const [at, node] of nodes.entries()) {
    await node.stop();
    const { port } = node;
    const newer = new ServiceNode(port, environment);
    stage.adopt([newer]);
    await begin(newer);
    const from = performance.now();
    await signIn(stage, users, members.nodes);
    for (let n = 0; n < 3; n += 1) {
      messages.push(await holder.message(ledger, newer.url));
      await pause((Number(sideBySide) * 1000) / 3);
    }
    console.log(`${at + 1} of 2 nodes replaced, responses since by status:`, countStatuses(ledger.since(from)));
  }
  ended.abort();
  await Promise.all([...others, ledger.stop()]);
  console.log(`members that one node wrote and the other read: ${members.exchanged}`);
  stage.check(members.exchanged > 0, 'no member was exchanged');
  await phones.checkCurrent(stage, ledger, RECOVERY_SECONDS);
  await within(RECOVERY_SECONDS + 60, () => messages.every((id) => holder.timesAdded(id) > 0));
  const times = messages.map((id) => holder.timesAdded(id));
  console.log(`times that Google got each of ${messages.length} messages: ${times.join(', ')}`);
  stage.check(
    times.every((count) => count === 1),
    `Google did not get each message once: ${times.join(', ')}`,
  );
  stage.checkWrites(ledger, (text) => cluster.sql(text));
  await stage.checkEvents(receiver, Number(cluster.sql('SELECT count(*) FROM pass')) - PHONES - 1, RECOVERY_SECONDS);
  const responses = [ledger, ...members.nodes].flatMap((each) => each.responses);
  stage.checkResponses(responses);
  const rejected = responses.filter(({ status }) => status >= 400 && status < 500 && status !== 429);
  stage.check(rejected.length === 0, `calls were rejected: ${JSON.stringify(countStatuses(rejected))}`);
});

/** Registers a user on each node and adds it to `users`. Then signs all `users` in on every node. */
async function signIn(stage, users, nodes) {
  for (const node of nodes) {
    const person = { email: `${randomUUID()}@example.com`, password: randomUUID(), name: 'Ada', accountName: 'Soak' };
    await new Ledger(node.urls, publicUrl).once('POST', '/v1/auth/register', person);
    users.push(person);
  }
  for (const { urls } of nodes) {
    for (const { email, password } of users) {
      await new Ledger(urls, publicUrl)
        .once('POST', '/v1/auth/login', { email, password })
        .catch((error) => stage.failures.add(error.message));
    }
  }
}

async function begin(node) {
  node.start();
  await node.ready();
}
