/**
 * Does what operators do to a running service, by mistake or during maintenance: other settings for new sessions, a role
 * or a database that rejects connections, locks, ended sessions, and a suspended machine. The service's role is not a
 * superuser. Two nodes handle writes, events and virtual iPhones meanwhile. Prints for each error how long the service
 * took to recover, and which responses callers got.
 *
 * Fails on:
 * - a recovery of more than 10 s
 * - a call without a response
 * - a failed call while only listeners are ended
 * - a 5xx other than 503 with Retry-After
 * - a lost or duplicated write, and a node that ends
 * - an event or a phone that is not up to date 60 s after an error
 *
 *   npm run soak:operator-faults -- [seconds of each error, default 12] [names of errors]
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Ledger, WAITING } from './lib/ledger.mjs';
import { OperatorFaults } from './lib/operator-faults.mjs';
import { every } from './lib/overload.mjs';
import { Phones } from './lib/phones.mjs';
import { countStatuses, requireServer, soak, within } from './lib/stage.mjs';

const [, , seconds = '12', ...wanted] = process.argv;
const RECOVERY_SECONDS = 10;
const CURRENT_SECONDS = 60;
const PHONES = 4;
const ROLE = 'service';
const PASSWORD = 'soak';
const publicUrl = 'https://passes.example.com';

requireServer();
await soak(async (stage) => {
  const cluster = await stage.cluster({ settings: { max_connections: '100' } });
  cluster.sql(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`);
  cluster.sql(`CREATE DATABASE ${ROLE} OWNER ${ROLE}`);
  const database = {
    cluster,
    role: ROLE,
    password: PASSWORD,
    sql: (text) => cluster.sql(text, ROLE),
    url: `postgres://passwright@127.0.0.1:${cluster.port}/${ROLE}`,
  };
  const [receiver, phones] = [await stage.receiver(), await Phones.start(stage)];
  const nodes = await stage.nodes(2, {
    ...phones.environment,
    BASE_URL: publicUrl,
    DATABASE_URL: `postgres://${ROLE}:${PASSWORD}@127.0.0.1:${cluster.port}/${ROLE}`,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
  });
  const ledger = new Ledger(
    nodes.map(({ url }) => url),
    publicUrl,
  );
  await ledger.open();
  await phones.install(ledger, PHONES, () => nodes[1].url);
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  ledger.start(8, 4);
  const changes = new AbortController();
  const changing = every(500, () => phones.change(ledger).catch(() => undefined), changes.signal);
  await pause(3000);
  for (const [name, fault] of Object.entries(new OperatorFaults(database, stage, nodes).all())) {
    if (wanted.length > 0 && !wanted.some((each) => name.includes(each))) continue;
    await stageFault({ stage, nodes, ledger, phones }, name, fault);
  }
  changes.abort();
  await Promise.all([changing, ledger.stop()]);
  const stored = stage.checkWrites(ledger, database.sql);
  await stage.checkEvents(receiver, stored, CURRENT_SECONDS);
  stage.checkResponses(ledger.responses, { noneAllowed: false });
});

/** Stages one error and checks the responses, the phones and the nodes. */
async function stageFault({ stage, nodes, ledger, phones }, name, fault) {
  const { begin, end, harmless } = fault;
  const brokenAt = performance.now();
  await begin();
  await pause(Number(seconds) * 1000);
  const ready = await Promise.all(nodes.map((node) => node.health()));
  await end();
  const healedAt = performance.now();
  const current = await within(CURRENT_SECONDS, async () => (await phones.retry()) && phonesAreCurrent(phones));
  await pause(Math.max(0, (RECOVERY_SECONDS + 5) * 1000 - (performance.now() - healedAt)));
  const isJudged = ({ startedAt, reason }) => reason !== WAITING || startedAt < healedAt + RECOVERY_SECONDS * 1000;
  const responses = ledger.inHandSince(brokenAt).filter(isJudged);
  const isGood = ({ status }) => status > 0 && status < 500;
  const bad = responses.filter((response) => response.endedAt >= healedAt && !isGood(response));
  const recovery = Math.max(0, ...bad.map(({ endedAt }) => endedAt - healedAt)) / 1000;
  const longest = Math.max(...responses.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  console.log(
    `${name.padEnd(28)} recovery ${recovery.toFixed(1)} s, longest response ${longest.toFixed(1)} s, ready ${ready},`,
    countStatuses(responses),
    `phones after ${current.toFixed(1)} s`,
  );
  stage.check(recovery <= RECOVERY_SECONDS, `${name}: recovery took ${recovery.toFixed(1)} s`);
  stage.check(current < Infinity, `${name}: phones are not current`);
  stage.check(!harmless || responses.every(isGood), `${name}: calls failed`);
  for (const node of nodes) stage.check(!node.ended, `${name}: a node has ended`);
}

/** Returns true if each phone shows a change that is at most some seconds old. */
function phonesAreCurrent(phones) {
  const oldest = Math.max(...phones.held.map(({ pending }) => (pending[0] ? performance.now() - pending[0].at : 0)));
  return oldest < 15_000;
}
