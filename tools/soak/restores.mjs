/**
 * Makes a database on Debian's Postgres lose its newest changes while clients write. There are virtual iPhones, a pass
 * in Google Wallet, and a webhook. The database is
 *
 * - restored from a backup
 * - rolled back to a copy of its data folder
 * - rolled back together with the service's data folder, like a virtual machine that is reset
 * - failed over to a standby that was behind
 * - restored from a backup, and failed over to a standby while the service pushes to phones because of the restore
 * - restored from a backup twice, the second time while the service pushes because of the first time
 *
 * Fails on:
 * - a phone or an object at Google that does not show the service's content within 60 s
 * - an event from before the backup that is delivered again
 * - a later event that is not delivered exactly once
 * - a 5xx other than 503 with Retry-After
 *
 *   npm run soak:restores -- [seconds of the changes that are lost, default 10] [names of cases]
 */
import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DebianPostgres } from '@passwright/testing';
import { GoogleHolder } from './lib/google-holder.mjs';
import { Ledger } from './lib/ledger.mjs';
import { operate } from './lib/operator.mjs';
import { Phones } from './lib/phones.mjs';
import { runSql } from './lib/postgres-cluster.mjs';
import { requireServer, soak, within } from './lib/stage.mjs';

const [, , seconds = '10', ...wanted] = process.argv;
const PHONES = 10;
const CURRENT_SECONDS = 60;
const publicUrl = 'https://passes.example.com';

/**
 * The cases. `before` prepares the case. `lose` makes the database lose its later changes, and returns the server on
 * which the node continues. `notice` runs when the node is ready again. @type {Record<string, { before: Function, lose:
 * Function, notice?: Function }>}
 */
const cases = {
  restore: {
    before: ({ operate }) => operate('backup'),
    lose: async ({ node, operate, server }) => {
      await node.stop();
      operate('restore');
      return server;
    },
  },
  'roll-back': {
    before: async ({ node, server }) => {
      await node.stop();
      server.stop();
      server.snapshot();
      server.start();
      node.start();
      await node.ready();
    },
    lose: ({ server }) => {
      server.crash();
      server.rollBack();
      server.start();
      return server;
    },
  },
  // The incarnation mark is rolled back too, so the service notices the loss only from the request of a phone.
  'disk-roll-back': {
    before: async ({ node, server, dataDir }) => {
      await node.stop();
      server.stop();
      server.snapshot();
      cpSync(dataDir, `${dataDir}-snapshot`, { recursive: true });
      server.start();
      node.start();
      await node.ready();
    },
    lose: async ({ node, server, dataDir }) => {
      await node.kill();
      server.crash();
      server.rollBack();
      rmSync(dataDir, { recursive: true });
      renameSync(`${dataDir}-snapshot`, dataDir);
      server.start();
      return server;
    },
    notice: ({ phones }) => phones.devices[0].push(),
  },
  promotion: {
    before: async (test) => {
      test.standby = await DebianPostgres.standbyOf(test.server);
      test.stage.later(() => test.standby.remove());
      runSql(test.standby.url, `ALTER SYSTEM SET primary_conninfo = ''`);
      runSql(test.standby.url, 'SELECT pg_reload_conf()');
      await within(10, () => runSql(test.standby.url, 'SELECT count(*) FROM pg_stat_wal_receiver') === '0');
    },
    lose: async ({ node, server, standby }) => {
      await node.kill();
      server.crash();
      standby.promote();
      node.environment.DATABASE_URL = standby.url;
      return standby;
    },
  },
  'promotion-after-restore': {
    before: async (test) => {
      test.operate('backup');
      test.standby = await DebianPostgres.standbyOf(test.server);
      test.stage.later(() => test.standby.remove());
    },
    lose: async (test) => {
      await restoreUntilPushes(test);
      test.server.crash();
      test.standby.promote();
      test.node.environment.DATABASE_URL = test.standby.url;
      return test.standby;
    },
  },
  'restore-after-restore': {
    before: ({ operate }) => operate('backup'),
    lose: async (test) => {
      await restoreUntilPushes(test);
      test.operate('restore');
      return test.server;
    },
  },
};

/** Restores the backup, and kills the node while it pushes to phones because of the restore. */
async function restoreUntilPushes({ stage, node, phones, server, operate }) {
  await node.stop();
  operate('restore');
  phones.apns.hang('*');
  node.start();
  await node.ready();
  const inHand = () => runSql(server.url, 'SELECT count(*) FROM apple_push_page WHERE claim IS NOT NULL') !== '0';
  stage.check((await within(30, inHand)) < Infinity, 'the service does not push after a restore');
  await node.kill();
  phones.apns.reset();
}

requireServer();
await soak(async (stage) => {
  for (const [name, steps] of Object.entries(cases)) {
    if (wanted.length === 0 || wanted.includes(name)) await stageCase(stage, name, steps);
  }
});

/**
 * @param {import('./lib/stage.mjs').Stage} stage
 * @param {string} name
 * @param {{ before: Function, lose: Function, notice?: Function }} steps
 */
async function stageCase(stage, name, { before, lose, notice }) {
  const server = await DebianPostgres.start();
  stage.later(() => server.remove());
  const receiver = await stage.receiver();
  const phones = await Phones.start(stage);
  const holder = await GoogleHolder.start(stage, () => node.url);
  const environment = {
    ...phones.environment,
    ...holder.environment,
    BASE_URL: publicUrl,
    DATA_DIR: join(stage.dataDir, name),
    DATABASE_URL: server.url,
    WEBHOOK_HOSTS_ALLOWED: receiver.host,
    APPLE_PUSH_WINDOW_SECONDS: '1',
  };
  const [node] = await stage.nodes(1, environment);
  const ledger = new Ledger([node.url], publicUrl);
  await ledger.open();
  await ledger.once('POST', '/v1/webhooks', { url: receiver.url, types: ['pass.created'] });
  await phones.install(ledger, PHONES, () => node.url);
  await holder.save(ledger, node.url);
  await noteAtGoogle(stage, ledger, holder, 'kept note');
  await load(ledger, phones, 3);
  await settled(stage, name, server, phones, ledger);
  const backup = join(stage.dataDir, `${name}-backup`);
  const { DATA_DIR: dataDir } = environment;
  const test = { stage, node, server, phones, dataDir, operate: (word) => operate(environment, word, backup) };
  await before(test);
  const delivered = new Map(receiver.received);

  await load(ledger, phones, Number(seconds));
  const [voided] = phones.held;
  await ledger.once('POST', `/v1/pass/soak/${voided.id}/void`);
  await within(30, () => phones.shown(voided).voided);
  await noteAtGoogle(stage, ledger, holder, 'lost note');
  const present = await lose(test);
  if (node.ended) node.start();
  await node.ready();
  await notice?.(test);
  await checkCurrent(stage, name, phones, ledger, holder);

  const lostOnes = new Map(receiver.received);
  const stored = Number(runSql(present.url, `SELECT count(*) FROM pass WHERE metadata ? 'soak'`));
  await load(ledger, phones, 3);
  await settled(stage, name, present, phones, ledger);
  const created = Number(runSql(present.url, `SELECT count(*) FROM pass WHERE metadata ? 'soak'`)) - stored;
  const newOnes = [...receiver.received].filter(([id]) => !lostOnes.has(id));
  const again = [...delivered].filter(([id, times]) => receiver.received.get(id) !== times).length;
  console.log(`${name}: ${created} passes afterwards, ${newOnes.length} events; ${again} events delivered again`);
  stage.check(again === 0, `${name}: ${again} events from before the backup were delivered again`);
  stage.check(newOnes.length === created, `${name}: ${created} passes afterwards, but ${newOnes.length} events`);
  stage.check(
    newOnes.every(([, times]) => times === 1),
    `${name}: events afterwards were delivered more than once`,
  );
  // No requests are sent while the database is unavailable, so every response must be a success.
  stage.checkResponses(ledger.responses);
  await node.stop();
}

/** Changes the pass in Google Wallet, and waits until the object shows the change. */
async function noteAtGoogle(stage, ledger, holder, note) {
  await holder.change(ledger, note);
  const took = await within(CURRENT_SECONDS, () => holder.shows(note));
  stage.check(took < Infinity, `the object at Google does not show the ${note}`);
}

/** Checks that phones and Google show the content that the database has kept. */
async function checkCurrent(stage, name, phones, ledger, holder) {
  const current = {
    'every phone': async () => (await phones.retry()) && (await phones.stale(ledger)).length === 0,
    'the object at Google': () => holder.shows('kept note') && !holder.shows('lost note'),
  };
  const judged = Object.entries(current).map(async ([what, holds]) => {
    const took = await within(CURRENT_SECONDS, holds);
    console.log(`${name}: ${what} is current ${took.toFixed(1)} s after the service is ready again`);
    stage.check(took < Infinity, `${name}: ${what} does not show what the service says`);
  });
  await Promise.all(judged);
}

/** Creates passes, and changes the passes on phones. */
async function load(ledger, phones, seconds) {
  ledger.start(2, 5);
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    await phones.change(ledger);
    await pause(200);
  }
  await ledger.stop();
}

/** Waits until every phone is current and no event is pending. */
async function settled(stage, name, { url }, phones, ledger) {
  const isSettled = async () =>
    (await phones.stale(ledger)).length === 0 &&
    runSql(url, `SELECT count(*) FROM graphile_worker.jobs WHERE run_at <= now()`) === '0' &&
    runSql(url, `SELECT count(*) FROM webhook_delivery WHERE due_at IS NOT NULL`) === '0';
  stage.check((await within(60, isSettled)) < Infinity, `${name}: events or pushes do not settle`);
}
