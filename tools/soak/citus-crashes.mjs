/**
 * Kills the coordinator of a Citus cluster with `kill -9` many times under load, and restarts it each time. Each
 * transaction writes a change and its job. One in four transactions writes changes and jobs of two accounts. At the
 * end, a node of the service moves the remaining jobs from the outbox to the queue.
 *
 * Fails on:
 * - an acknowledged change that is lost
 * - a change without its job
 * - a job without its change
 * - a job that is in the queue before its change is visible
 *
 * With --without-outbox, each job goes directly into the queue. The test then fails, which shows why the outbox exists.
 *
 *   npm run soak:citus-crashes -- [kills, default 20] [--without-outbox]
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Database, dataSourceTo, serviceClient } from '@passwright/database';
import { Job, Jobs } from '@passwright/jobs';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { startCitusEngine } from './lib/engines.mjs';
import { soak, within } from './lib/stage.mjs';

const words = process.argv.slice(2);
const kills = Number(words.find((word) => !word.startsWith('--')) ?? 20);
const hasOutbox = !words.includes('--without-outbox');
const CLIENTS = 8;
const ACCOUNTS = 8;
const LOAD_MS = { least: 500, more: 700 };
/** One in this many transactions changes two accounts. */
const PAIRS = 4;
/** The time limit until the outbox is empty. Every minute, a schedule moves the rows that are at least 30 s old. */
const EMPTY_SECONDS = 150;

const START_SECONDS = 30;
/**
 * The pause before a restart. A child process that was being created at the crash keeps the dead server's memory for a
 * moment. A start during that moment would fail.
 */
const ORPHANS_MS = 500;

// Turn off the log, because each transaction that a kill interrupts between its commit and the queue would add a line.
Logger.overrideLogger(false);

class Changed extends Job {
  static task = 'soak.changed';
}

const insertSql = `INSERT INTO deleted_pass (account_id, serial_number, template_id, pass_id, type, issuer_name, deleted_at)
  VALUES ($1, $2, 'soak', $2, 'generic', 'soak', now())`;
const taskIs = `task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = '${Changed.task}')`;

await soak(async (stage) => {
  const { servers, directUrl, sql, environment } = await startCitusEngine(stage);
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => `acc_${at}`);
  for (const account of accounts) sql(`INSERT INTO account (id, name, created_at) VALUES ('${account}', '', now())`);
  const database = await connect(stage, directUrl);
  const jobs = new Jobs(hasOutbox ? database : undefined);
  const acknowledged = new Set();
  const ended = new AbortController();
  const clients = Array.from({ length: CLIENTS }, () =>
    changeUntil(ended.signal, { database, jobs, accounts, acknowledged }),
  );
  const watching = watchOrder(directUrl, ended.signal);
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(LOAD_MS.least + Math.random() * LOAD_MS.more);
    servers[0].signal('SIGKILL');
    await pause(ORPHANS_MS);
    await startAgain(stage, servers[0]);
  }
  await pause(LOAD_MS.least);
  ended.abort();
  await Promise.all(clients);
  const { seen, early } = await watching;
  sql('SELECT recover_prepared_transactions()');
  const leftAlone = Number(sql('SELECT count(*) FROM job_outbox'));
  await stage.nodes(1, { ...environment, BASE_URL: 'https://passes.example.com' });
  const took = await within(EMPTY_SECONDS, () => sql('SELECT count(*) FROM job_outbox') === '0');
  console.log(`${kills} kills, ${leftAlone} rows left in the outbox, empty after ${took.toFixed(0)} s`);
  console.log(`order: ${seen} jobs seen in the queue, ${early} before their change`);
  stage.check(took !== Infinity, 'the outbox is not empty');
  stage.check(early === 0, `${early} jobs are in the queue before their change`);
  compare(stage, sql, acknowledged);
});

async function startAgain(stage, server) {
  const took = await within(START_SECONDS, () => {
    server.start();
    return true;
  });
  stage.check(took !== Infinity, 'the coordinator does not start again');
}

async function connect(stage, url) {
  const options = { ...dataSourceTo(url, serviceClient(10_000)), poolSize: CLIENTS * 2 };
  const dataSource = await new DataSource(options).initialize();
  stage.later(() => dataSource.destroy());
  return new Database(dataSource, null, null, true);
}

/** Writes changes with their jobs until `signal` aborts. Records the changes that the database has acknowledged. */
async function changeUntil(signal, { database, jobs, accounts, acknowledged }) {
  while (!signal.aborted) {
    const id = randomUUID();
    const at = Math.floor(Math.random() * ACCOUNTS);
    const own = accounts.slice(at, at + (Math.random() < 1 / PAIRS ? 2 : 1));
    try {
      await database.transaction(async (tx) => {
        for (const account of own) await tx.query(insertSql, [account, id]);
        await jobs.addMany(
          tx,
          own.map((accountId) => new Changed({ accountId, id })),
        );
      });
      for (const account of own) acknowledged.add(`${account}/${id}`);
    } catch {
      await pause(20);
    }
  }
}

/** Checks for each new job in the queue that its change is visible. Ends when `signal` aborts. */
async function watchOrder(url, signal) {
  const seen = new Set();
  let early = 0;
  while (!signal.aborted) {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      while (!signal.aborted) early += await earlyJobs(client, seen);
    } catch {
      await pause(20);
    }
    await client.end().catch(() => undefined);
  }
  return { seen: seen.size, early };
}

async function earlyJobs(client, seen) {
  const { rows } = await client.query(
    `SELECT payload ->> 'accountId' AS account, payload ->> 'id' AS id FROM graphile_worker._private_jobs
     WHERE ${taskIs} ORDER BY _private_jobs.id DESC LIMIT 50`,
  );
  let early = 0;
  for (const { account, id } of rows.filter((row) => !seen.has(row.account + row.id))) {
    const change = await client.query('SELECT FROM deleted_pass WHERE account_id = $1 AND serial_number = $2', [
      account,
      id,
    ]);
    seen.add(account + id);
    early += 1 - change.rowCount;
  }
  return early;
}

function compare(stage, sql, acknowledged) {
  const lines = (text) => text.split('\n').filter(Boolean);
  const changes = new Set(lines(sql(`SELECT account_id || '/' || serial_number FROM deleted_pass`)));
  const added = lines(
    sql(
      `SELECT payload ->> 'accountId' || '/' || (payload ->> 'id') FROM graphile_worker._private_jobs WHERE ${taskIs}`,
    ),
  );
  const jobs = new Set(added);
  const lost = [...acknowledged].filter((each) => !changes.has(each)).length;
  const withoutJob = [...changes].filter((each) => !jobs.has(each)).length;
  const withoutChange = [...jobs].filter((each) => !changes.has(each)).length;
  console.log(
    `${acknowledged.size} changes acknowledged, ${changes.size} stored, ${lost} lost; ${jobs.size} jobs, ` +
      `${added.length - jobs.size} added twice, ${withoutJob} missing, ${withoutChange} without a change`,
  );
  stage.check(acknowledged.size > 0, 'no change was acknowledged');
  stage.check(lost === 0, `${lost} acknowledged changes are lost`);
  stage.check(withoutJob === 0, `${withoutJob} changes have no job`);
  stage.check(withoutChange === 0, `${withoutChange} jobs have no change`);
}
