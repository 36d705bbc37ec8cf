/**
 * Simulates a year of memberships, which end on random days, in several accounts and time zones. Two or more nodes send
 * reminders and let members expire, and are killed with `kill -9` meanwhile. The clock moves day by day, sometimes by
 * several days. Every day, each member, its pass and its mails must match a model, and each mail and each expiry must
 * have come exactly once. The nodes' clocks differ by seconds, and sometimes step back a little.
 *
 *   npm run soak:member-year -- [members, default 10000] [days, default 365] [nodes, default 2]
 *
 * Uses the database DATABASE_URL, which must be empty, or one of its own.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { SmtpSink } from './smtp-sink.mjs';
import { ModelMember, reminders } from './member-model.mjs';
import { Nodes } from './nodes.mjs';
import { YearAccount } from './year-account.mjs';

const [memberCount, days, nodeCount] = [10_000, 365, 2].map((usual, at) => Number(process.argv[at + 2] ?? usual));
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Auckland', 'UTC'];
const dayMs = 86_400_000;
/** The distance in ms of expiries and reminders from the stops of the clock. The nodes' clocks differ by less. */
const clearMs = 60_000;
const halfHourMs = 1_800_000;
const stepBackMs = 20_000;
const offsetOf = (node) => ((node % 3) - 1) * 7000;
const killEveryDays = Number(process.env.KILL_EVERY_DAYS ?? 10);
const require = createRequire(import.meta.url);
const { startEmbeddedPostgres } = require('@passwright/embedded-postgres');
const { jobsIdle } = require('@passwright/testing');
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const say = (text) => process.stdout.write(`${text}\n`);
const random = (below) => Math.floor(Math.random() * below);
const pick = (list) => list[random(list.length)];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const dir = mkdtempSync(join(tmpdir(), 'passwright-year-'));
const sink = await SmtpSink.start();
const postgres = process.env.DATABASE_URL ? null : await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') });
const databaseUrl = process.env.DATABASE_URL ?? postgres.url;
const clockFile = join(dir, 'clock');
// The time zones have offsets in half hours, so each midnight is at a full or half hour. Stop the clock in between.
let now = Math.floor(Date.now() / halfHourMs) * halfHourMs + halfHourMs / 2;
setClock(now);

// The nodes run from their sources if this script does, as it does in tests.
const fromSources = process.execArgv.some((argument) => argument.endsWith('typescript-sources.cjs'));
const nodes = new Nodes(
  nodeCount,
  {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: join(dir, 'data'), CLOCK_FILE: clockFile },
    ...{ LOG_LEVEL: 'error', RATE_LIMIT_PER_MINUTE: '0', BASE_URL: 'https://passes.example.com' },
    ...{ SMTP_URL: sink.url, MAIL_FROM: 'Passwright <passes@passwright.example>' },
  },
  {
    main: here(fromSources ? '../../apps/api/src/main.ts' : '../../apps/api/dist/main.js'),
    execArgv: [...process.execArgv, '-r', here('./clock-from-file.cjs')],
    environmentOf: (node) => ({ CLOCK_OFFSET_MS: String(offsetOf(node)) }),
  },
);
const differences = [];
const counts = {
  reminders: 0,
  expiries: 0,
  renewals: 0,
  suspensions: 0,
  standstills: 0,
  stepsBack: 0,
  repeatedMails: 0,
};
/** The terms that have ended, as `<account>/<member>`, with one entry for each term. */
const ended = [];
let db;
try {
  await nodes.start();
  db = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  await main();
} finally {
  await nodes.stop();
  await db?.end();
  await sink.stop();
  await postgres?.stop();
  rmSync(dir, { recursive: true });
}
process.exit(differences.length === 0 ? 0 : 1);

async function main() {
  const began = performance.now();
  const members = await makeMembers();
  await checkClocks();
  say(`${members.length} members in ${zones.length} accounts after ${seconds(began)}`);
  for (let day = 1; day <= days; day += 1) {
    // Sometimes no node runs for three days. Afterwards, the nodes catch up.
    const still = day % 60 === 0 ? 3 : 1;
    if (still > 1) counts.standstills += 1;
    day += still - 1;
    await change(members);
    await liveThrough(members, still * dayMs, day);
    if (day % 30 < still)
      say(`day ${day}: ${sink.mails.length} mails, ${differences.length} differences, ${seconds(began)}`);
    if (differences.length > 20) break;
  }
  await checkTrail();
  for (const difference of differences.slice(0, 20)) say(`DIFFERENCE ${difference}`);
  say(
    `${days} days, ${members.length} members, ${nodeCount} nodes, ${nodes.kills} killed, in ${seconds(began)}: ` +
      Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
  );
  say(differences.length === 0 ? 'Each reminder and expiry came once.' : `${differences.length} DIFFERENCES`);
}

async function makeMembers() {
  const accounts = [];
  for (const zone of zones) accounts.push(await YearAccount.open(nodes.url, zone, reminders));
  now += dayMs;
  setClock(now);
  const members = [];
  const left = Array.from({ length: memberCount }, (_, n) => n).values();
  const lane = async () => {
    for (const n of left) {
      // Most members are in the first account.
      const account = n % 2 === 0 ? accounts[0] : pick(accounts);
      const expiresAt = newExpiry();
      const { id, email } = await account.create(n, expiresAt);
      members.push(new ModelMember(account, id, email, expiresAt));
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return members;
}

/**
 * Checks that the clocks of the nodes have moved, which the creation times of the members show.
 * @throws Error if not
 */
async function checkClocks() {
  const { rows } = await db.query(
    'SELECT created_at FROM member WHERE abs(extract(epoch FROM created_at - $1::timestamptz)) * 1000 > $2 LIMIT 1',
    [new Date(now), clearMs],
  );
  const [wrong] = rows;
  const ought = new Date(now).toISOString();
  if (wrong)
    throw new Error(`The nodes have ${wrong.created_at.toISOString()} instead of ${ought}: their clocks do not move`);
}

/** Returns a random time in the rest of the year or a little later. Often it is midnight in some time zone. */
function newExpiry() {
  const at = now + dayMs / 4 + random((days + 10) * dayMs);
  return random(4) === 0 ? Math.ceil(at / dayMs) * dayMs - random(24) * 3_600_000 + 2 * dayMs : clear(at);
}

/**
 * Returns the time, or a time two minutes later if the clock may stop within a minute of it. This way, all nodes agree
 * whether the time has come.
 */
function clear(ms) {
  const from = (((ms - now) % halfHourMs) + halfHourMs) % halfHourMs;
  return from < clearMs || from > halfHourMs - clearMs ? ms + 2 * clearMs : ms;
}

/** Renews, suspends or reactivates a few members each day. */
async function change(members) {
  for (let n = 0; n < Math.max(1, memberCount / 5000); n += 1) {
    const member = pick(members);
    const { account, id, status, expiresAt } = member;
    if (status === 'suspended') {
      await account.activate(id);
      member.status = 'active';
      // The service does not send reminders that were due during the suspension.
      member.times = member.times.filter(({ at }) => at > now);
    } else if (status === 'active' && random(3) === 0) {
      await account.suspend(id);
      member.status = 'suspended';
      counts.suspensions += 1;
    } else {
      const renewed = clear(Math.max(now, expiresAt) + dayMs * (1 + random(60)));
      await account.renew(id, renewed);
      member.begin(renewed);
      member.times = member.times.filter(({ at }) => at > now);
      counts.renewals += 1;
    }
  }
}

/** Moves the clock and lets the nodes do the work that is due. Sometimes kills a node. Finally checks everything. */
async function liveThrough(members, ms, day) {
  const mailsBefore = sink.mails.length;
  const from = now;
  now += ms;
  setClock(now);
  const expected = [];
  for (const member of members) {
    const event = member.pass(from, now);
    if (event === 'expired') ended.push(`${member.account.id}/${member.id}`);
    else if (event) expected.push(member.email);
  }
  counts.reminders += expected.length;
  counts.expiries = ended.length;
  const killed = random(killEveryDays) === 0;
  await runDue(killed);
  checkMails(expected, sink.mails.slice(mailsBefore), killed, day);
  await checkMembers(members, day);
}

async function runDue(kill) {
  for (let round = 0; ; round += 1) {
    for (let n = 0; n < nodeCount; n += 1) await addJob('memberships.run-due');
    await addJob('passes.expire');
    // Sometimes, set the clock back while the nodes work.
    const stepsBack = round === 0 && random(5) === 0;
    if (stepsBack) {
      counts.stepsBack += 1;
      await pause(random(100));
      setClock(now - 1 - random(stepBackMs));
    }
    if (kill && round === 0) {
      await pause(random(150));
      await nodes.crash(random(nodeCount));
    }
    await jobsIdle(databaseUrl, { timeoutMs: 120_000 });
    if (stepsBack) setClock(now);
    const { rows } = await db.query('SELECT count(*)::int AS count FROM member WHERE due_at <= $1', [new Date(now)]);
    if (rows[0].count === 0) return;
    if (round === 100) throw new Error(`${rows[0].count} members are still due`);
  }
}

function addJob(task) {
  return db.query(`SELECT graphile_worker.add_job($1, '{}')`, [task]);
}

/**
 * Checks the mails. If a node is killed after the mail server has accepted a mail, the service sends the mail again
 * with the same Message-ID. Both count as one mail.
 */
function checkMails(expected, mails, killed, day) {
  const wanted = new Set(expected);
  const seen = new Map();
  for (const { to, id } of mails) {
    const repeated = seen.get(to) === id;
    if (repeated && killed) counts.repeatedMails += 1;
    else if (seen.has(to)) differ(day, `${to} got two mails, ${seen.get(to)} and ${id}`);
    else if (!wanted.has(to)) differ(day, `${to} got a mail, ${id}, for no reason`);
    seen.set(to, id);
  }
  for (const to of expected) if (!seen.has(to)) differ(day, `${to} got no mail`);
}

async function checkMembers(members, day) {
  const { rows } = await db.query(
    `SELECT m.account_id, m.id, m.status, m.reminders_sent, m.due_at, m.expires_at, p.voided_at, p.expires_at AS pass_expires_at
     FROM member m JOIN pass p ON p.account_id = m.account_id AND p.template_id = m.template_id AND p.id = m.pass_id`,
  );
  const found = new Map(rows.map((row) => [`${row.account_id}/${row.id}`, row]));
  if (rows.length !== members.length) differ(day, `there are ${rows.length} members with passes`);
  for (const { account, id, status, sent, expiresAt } of members) {
    const row = found.get(`${account.id}/${id}`);
    const is = row && [row.status, Object.keys(row.reminders_sent).sort().join(), row.expires_at.getTime()].join(' ');
    const ought = [status, sent.toSorted().join(), expiresAt].join(' ');
    if (is !== ought) differ(day, `${account.zone} ${id} is ${is} and ought to be ${ought}`);
    else if ((row.voided_at === null) !== (status === 'active')) differ(day, `the pass of ${id}, ${status}, is not so`);
    else if (row.pass_expires_at.getTime() !== expiresAt) differ(day, `the pass of ${id} ends at another time`);
  }
}

/** Checks that the audit trail records one expiry for each term that has ended. */
async function checkTrail() {
  const { rows } = await db.query(
    `SELECT account_id || '/' || target_id AS name, count(*)::int AS count FROM audit_event
     WHERE action = 'member.expired' GROUP BY 1`,
  );
  const reported = new Map(rows.map(({ name, count }) => [name, count]));
  const expected = new Map();
  for (const name of ended) expected.set(name, (expected.get(name) ?? 0) + 1);
  for (const name of new Set([...reported.keys(), ...expected.keys()])) {
    const [is, ought] = [reported.get(name) ?? 0, expected.get(name) ?? 0];
    if (is !== ought) differ(days, `the trail knows ${is} of ${ought} expiries of ${name}`);
  }
}

function differ(day, text) {
  differences.push(`on day ${day}: ${text}`);
}

function setClock(ms) {
  writeFileSync(`${clockFile}.new`, String(ms));
  renameSync(`${clockFile}.new`, clockFile);
}

function seconds(began) {
  return `${Math.round((performance.now() - began) / 1000)} s`;
}
