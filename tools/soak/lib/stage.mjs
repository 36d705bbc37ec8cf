/**
 * The common part of every soak test. It starts what a test needs, stops everything in reverse order, and checks the
 * invariants that all tests share. A test that violates an invariant exits with 1.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startNodes } from './nodes.mjs';
import { MailServer, WebhookReceiver } from './outside-services.mjs';
import { hasServer, startCluster } from './postgres-cluster.mjs';

const LOG_LINES_SHOWN = 15;

/** Runs a soak test and ends the process, with 0 if all invariants hold, otherwise with 1. */
export async function soak(test) {
  const stage = new Stage();
  process.once('SIGTERM', () => void stage.close().finally(() => process.exit(1)));
  try {
    await test(stage);
  } catch (error) {
    stage.failures.add(error.stack);
  }
  await stage.close();
  for (const failure of stage.failures) console.log(`FAILED ${failure}`);
  process.exit(stage.failures.size > 0 ? 1 : 0);
}

/** Ends the process with 0, and prints why the test cannot run on this machine. */
export function skip(reason) {
  console.log(`SKIPPED ${reason}`);
  process.exit(0);
}

/** Ends the process with 0 if a Debian package is not installed. `short.mjs --no-skips` counts this as a failure. */
export function requirePackage(name, isInstalled) {
  if (isInstalled) return;
  console.log(missing(name));
  process.exit(0);
}

/** Returns the line from which `short.mjs` learns that a part was skipped because a Debian package is missing. */
export function missing(name) {
  return `MISSING Install the Debian package ${name}.`;
}

/** Skips the test if Debian's Postgres server is not installed. */
export function requireServer() {
  requirePackage('postgresql', hasServer());
}

/**
 * Waits until `holds` returns true.
 * @returns the seconds that it took, or Infinity after `seconds` seconds
 */
export async function within(seconds, holds) {
  const since = performance.now();
  const elapsed = () => (performance.now() - since) / 1000;
  // `holds` may throw, for example if it calls a node that responds with 503.
  const look = async () => holds();
  while (!(await look().catch(() => false))) {
    if (elapsed() > seconds) return Infinity;
    await pause(100);
  }
  return elapsed();
}

/** Counts responses by status. */
export function countStatuses(responses) {
  const counts = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A running test: its nodes, servers and external services, and the failures that it has found. */
export class Stage {
  failures = new Set();
  dataDir = mkdtempSync(join(tmpdir(), 'passwright-soak-'));
  #nodes = [];
  /** @type {(() => unknown)[]} */
  #undo = [() => rmSync(this.dataDir, { recursive: true, force: true })];

  /** Registers a clean-up step. The steps run in reverse order. */
  later(undo) {
    this.#undo.push(undo);
  }

  async cluster(options) {
    const cluster = await startCluster(options);
    this.later(() => cluster.remove());
    return cluster;
  }

  /** Starts nodes that share the data folder. */
  async nodes(count, environment, options) {
    return this.adopt(await startNodes(count, { DATA_DIR: this.dataDir, ...environment }, options));
  }

  /** Stops `nodes` at the end of the test. */
  adopt(nodes) {
    this.#nodes.push(...nodes);
    this.later(() => Promise.all(nodes.map((node) => node.stop())));
    return nodes;
  }

  async receiver() {
    const receiver = await WebhookReceiver.start();
    this.later(() => receiver.stop());
    return receiver;
  }

  async mails() {
    const mails = await MailServer.start();
    this.later(() => mails.stop());
    return mails;
  }

  /** Records `failure` unless `holds` is true. */
  check(holds, failure) {
    if (!holds) this.failures.add(failure);
  }

  /**
   * Checks that there is no 5xx other than 503 with Retry-After. Tests in which nodes die also allow status 0, which
   * means no response.
   */
  checkResponses(responses, { noneAllowed = true } = {}) {
    const isWrong = ({ status, retryAfter }) =>
      status === 0 ? !noneAllowed : status >= 500 && !(status === 503 && retryAfter);
    const wrong = responses.filter(isWrong);
    const statuses = [...new Set(wrong.map(({ status, reason }) => reason ?? status))].join(', ');
    this.check(wrong.length === 0, `${wrong.length} responses are 5xx other than 503 with Retry-After: ${statuses}`);
  }

  /**
   * Compares the database with the responses in `ledger`.
   * @param sql runs one statement and returns its result as text
   */
  checkWrites(ledger, sql) {
    const { acknowledged, stored, lost, doubled, counted, total } = ledger.verify(sql);
    console.log(`writes: ${acknowledged} acknowledged, ${stored} stored, ${lost} lost, ${doubled} doubled`);
    this.check(acknowledged > 0, 'no write was acknowledged');
    this.check(lost + doubled === 0, `${lost} acknowledged writes are lost, ${doubled} doubled`);
    this.check(counted === total, `${counted} passes are counted, ${total} stored`);
    return stored;
  }

  /** Waits until `receiver` has got `count` events. */
  async checkEvents(receiver, count, seconds) {
    const took = await within(seconds, () => receiver.received.size >= count);
    console.log(`events: ${receiver.received.size} of ${count} delivered, the last after ${took.toFixed(1)} s`);
    this.check(receiver.received.size === count, `${count - receiver.received.size} events are undelivered`);
  }

  async close() {
    if (this.failures.size > 0) for (const node of this.#nodes) this.#showLog(node);
    for (const undo of this.#undo.reverse()) {
      try {
        await undo();
      } catch (error) {
        console.log(`clean-up: ${error.message}`);
      }
    }
  }

  /** Prints the end of a node's log, without the start messages. */
  #showLog({ url, log }) {
    const lines = log.filter((line) => !line.startsWith('  '));
    for (const line of lines.slice(-LOG_LINES_SHOWN)) console.log(`${url} ${line.slice(0, 500)}`);
  }
}
