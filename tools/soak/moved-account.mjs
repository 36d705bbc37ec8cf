/**
 * Moves an account from one group of nodes to another and back. Each group has its own Postgres. HAProxy with
 * docker/groups/haproxy.cfg is in front of them. Meanwhile, clients create passes in this account and in another one,
 * passes on virtual iPhones change, and one phone sleeps. Each step of the move is killed once with `kill -9` and
 * repeated.
 *
 * Fails on:
 * - a write that is lost or duplicated
 * - a phone that does not show the service's content
 * - a row that stays in a group after its account has left
 * - any failed request of the other account
 * - a 5xx other than 503 with Retry-After
 *
 *   npm run soak:moved-account -- [passes of the account at the start, default 5000]
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Groups } from './lib/groups.mjs';
import { Ledger } from './lib/ledger.mjs';
import { hasHaProxy } from './lib/pair.mjs';
import { Phones } from './lib/phones.mjs';
import { countStatuses, requirePackage, requireServer, soak } from './lib/stage.mjs';

const passes = Number(process.argv[2] ?? 5000);
const publicUrl = 'https://passes.example.com';
const PHONES = 6;
const CURRENT_SECONDS = 60;
const SETTLED_MS = 3000;
/** The number of transactions by which the first server is ahead of the second. */
const AHEAD = 100_000;
/** The milliseconds after which each step is killed. The command takes about two seconds to start. */
const KILL_AFTER_MS = { copy: 2500, finish: 2500 };

requireServer();
requirePackage('haproxy', hasHaProxy());
await soak(async (stage) => {
  const phones = await Phones.start(stage);
  const groups = await Groups.start(stage, { ...phones.environment, BASE_URL: publicUrl, REGISTRATION: 'open' });
  const [moving, staying] = [new Ledger([groups.url], publicUrl), new Ledger([groups.url], publicUrl)];
  // Put the first server's transaction numbers ahead, so that comparing numbers fails after the move.
  groups.clusters[0].sql(
    `DO $$ BEGIN FOR i IN 1..${AHEAD} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
  );
  for (const ledger of [moving, staying]) await ledger.open();
  const [accountId] = groups.clusters[0].sql('SELECT id FROM account ORDER BY created_at').split('\n');
  await ownCertificate(phones, moving);
  await fill(moving);
  await phones.install(moving, PHONES, () => groups.url);
  const [sleeper, asleep] = [phones.devices.pop(), phones.held.pop()];
  for (const ledger of [moving, staying]) ledger.start(4, 5);
  const changes = setInterval(() => void phones.change(moving).catch(() => undefined), 500);
  stage.later(() => clearInterval(changes));
  await pause(SETTLED_MS);
  for (const from of [0, 1]) {
    await moveFrom(groups, from, accountId, moving);
    // Change this pass only after the first move. A later change would hide that the phone missed this one.
    if (from === 0) await changeAsleep(moving, asleep);
    await pause(SETTLED_MS);
    const left = rowsOf(groups.clusters[from], accountId);
    stage.check(left.length === 0, `${left.length} tables keep rows of the account: ${left.join(', ')}`);
  }
  clearInterval(changes);
  await pause(SETTLED_MS);
  for (const ledger of [moving, staying]) await ledger.stop();
  phones.held.push(asleep);
  await wake(stage, phones, sleeper, moving);
  judge(stage, moving, staying);
  for (const ledger of [moving, staying]) stage.checkWrites(ledger, (text) => groups.clusters[0].sql(text));
});

/** Gives the account its own pass type. The proxy can then send the account's phones to the account's group. */
async function ownCertificate(phones, ledger) {
  const own = phones.authority.pass({ passTypeIdentifier: 'pass.com.example.own' });
  const { certificatePem: certificate, privateKeyPem: privateKey, intermediatePem: intermediate } = own;
  await ledger.once('PUT', '/v1/account/walletA', { certificate, privateKey, intermediate });
}

async function fill(ledger) {
  const keys = Array.from({ length: passes }, () => randomUUID());
  const lines = keys.map((soak) => JSON.stringify({ fields: [], metadata: { soak } }));
  if (passes > 0) await ledger.once('POST', '/v1/pass/soak/batch', `${lines.join('\n')}\n`);
  for (const key of keys) ledger.acknowledged.add(key);
}

async function changeAsleep(ledger, { id }) {
  await ledger.once('PATCH', `/v1/pass/soak/${id}`, { fields: [{ key: 'turn', label: 'Turn', value: '1000000' }] });
}

async function moveFrom(groups, from, accountId, ledger) {
  await groups.move(from, 'copy', accountId, KILL_AFTER_MS.copy);
  await pause(SETTLED_MS);
  const frozenAt = performance.now();
  await groups.move(from, 'copy', accountId);
  const copiedAt = performance.now();
  await groups.route(accountId, 1 - from, 1 - from);
  const routedAt = performance.now();
  await groups.move(from, 'finish', accountId, KILL_AFTER_MS.finish);
  await groups.move(from, 'finish', accountId);
  const seconds = [copiedAt - frozenAt, routedAt - copiedAt, performance.now() - routedAt].map((ms) => ms / 1000);
  const [copied, routed, finished] = seconds.map((each) => each.toFixed(1));
  console.log(
    `moved from group ${from + 1}: copied in ${copied} s, routed in ${routed} s, finished in ${finished} s; no success for ${longestGap(ledger).toFixed(1)} s`,
  );
}

function longestGap({ responses }) {
  const times = responses.filter(({ status }) => status < 300 && status > 0).map(({ endedAt }) => endedAt);
  times.sort((a, b) => a - b);
  return Math.max(...times.slice(1).map((time, at) => time - times[at])) / 1000;
}

/** Lists the tables with rows of the account. */
function rowsOf(cluster, accountId) {
  const tables = cluster.sql(`SELECT DISTINCT table_name FROM information_schema.columns JOIN information_schema.tables
    USING (table_schema, table_name) WHERE table_schema = 'public' AND column_name = 'account_id' AND table_type = 'BASE TABLE'`);
  return tables
    .split('\n')
    .filter((table) => cluster.sql(`SELECT 1 FROM ${table} WHERE account_id = '${accountId}' LIMIT 1`) !== '');
}

/** Wakes the sleeping phone, and waits until all phones are current. */
async function wake(stage, phones, sleeper, ledger) {
  await sleeper.push();
  phones.devices.push(sleeper);
  const took = await phones.checkCurrent(stage, ledger, CURRENT_SECONDS);
  console.log(`all ${PHONES} phones are current after ${took.toFixed(1)} s`);
}

function judge(stage, moving, staying) {
  const slowest = Math.max(...staying.responses.map(({ startedAt, endedAt }) => endedAt - startedAt)) / 1000;
  console.log('the account:', countStatuses(moving.responses));
  console.log('the other account:', countStatuses(staying.responses), `longest answer ${slowest.toFixed(1)} s`);
  stage.checkResponses(moving.responses, { noneAllowed: false });
  const failed = staying.responses.filter(({ status }) => status < 200 || status > 299);
  stage.check(failed.length === 0, `${failed.length} requests of the other account failed`);
}
