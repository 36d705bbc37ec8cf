/**
 * The database engines on which a test can run: `--on=NAME`. Each is a combination of databases and stores that
 * operators use. By default, there is one Postgres, and one data folder for all nodes.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distribute, migrate } from '@passwright/database';
import { connectServers, partitionByAccount, TestBucket } from '@passwright/testing';
import { hasCitus, NEEDS_CITUS, startCitus } from './citus.mjs';
import { hasHaProxy, Pair } from './pair.mjs';
import { hasPgBouncer, PgBouncer } from './pgbouncer.mjs';
import { requirePackage, requireServer, skip } from './stage.mjs';

const PARTITIONS = 4;
const SHARDS = 4;

/**
 * The servers and stores on which a test runs. @typedef {object} Engine @property {Record<string, string>} environment
 * the variables of every node @property {(at: number) => Record<string, string>} environmentOf the additional variables
 * of one node @property {string} directUrl the address of the database without a proxy @property {(text: string) =>
 * string} sql runs SQL on the primary @property {() => string} log the log of the database servers @property {() =>
 * Promise<void>} [handOver] makes the standby the primary
 */

/** @type {Record<string, (stage: import('./stage.mjs').Stage) => Promise<Engine>>} */
const engines = {
  postgres: async (stage) => onCluster(await stage.cluster()),
  partitions: async (stage) => {
    const cluster = await stage.cluster();
    await migrate(cluster.url);
    await partitionByAccount(cluster.url, PARTITIONS);
    return onCluster(cluster);
  },
  citus: startCitusEngine,
  s3: async (stage) => {
    const bucket = await TestBucket.start();
    stage.later(() => bucket.stop());
    const environment = { ...bucketVariables(bucket), ...secrets() };
    const environmentOf = (at) => ({ DATA_DIR: join(stage.dataDir, `disk-${at}`) });
    return { ...onCluster(await stage.cluster(), environment), environmentOf };
  },
  'pgbouncer-session': (stage) => behindPgBouncer(stage, 'session'),
  'pgbouncer-transaction': (stage) => behindPgBouncer(stage, 'transaction'),
  pair: async (stage) => {
    requirePackage('haproxy', hasHaProxy());
    const pair = await Pair.start(stage);
    return {
      environment: { DATABASE_URL: await pair.startHaProxy(stage) },
      environmentOf: () => ({}),
      get directUrl() {
        return pair.servers[pair.leader].url;
      },
      sql: (text) => pair.sql(text),
      log: () => pair.servers.map(({ folder }) => readFileSync(join(folder, 'log'), 'utf8')).join('\n'),
      handOver: () => handOver(pair),
    };
  },
};

const engineNames = Object.keys(engines);

/**
 * Finds the engine's name among the words of a command.
 * @returns the name, and the other words
 * @throws Error for an unknown name
 */
export function engineOf(words) {
  const name = words.find((word) => word.startsWith('--on='))?.slice('--on='.length);
  if (name !== undefined && !engineNames.includes(name)) {
    throw new Error(`There is no engine «${name}». There are ${engineNames.join(', ')}.`);
  }
  return { name, others: words.filter((word) => !word.startsWith('--on=')) };
}

/** Starts an engine, or skips the test if a Debian package is missing. @returns {Promise<Engine>} */
export async function startEngine(stage, name = 'postgres') {
  requireServer();
  return engines[name](stage);
}

/**
 * Starts a Citus cluster with distributed tables.
 * @returns the engine, and its servers, the coordinator first
 */
export async function startCitusEngine(stage) {
  if (!hasCitus()) skip(NEEDS_CITUS);
  const servers = await startCitus();
  for (const server of servers) stage.later(() => server.remove());
  const [coordinator] = servers;
  await connectServers(servers.map(({ url }) => url));
  await migrate(coordinator.url);
  await distribute(coordinator.url, { shards: SHARDS });
  const log = () => servers.map(({ folder }) => readFileSync(join(folder, 'log'), 'utf8')).join('\n');
  return { ...onCluster(coordinator), servers, log };
}

function onCluster(cluster, environment = {}) {
  return {
    environment: { DATABASE_URL: cluster.url, ...environment },
    environmentOf: () => ({}),
    directUrl: cluster.url,
    sql: (text) => cluster.sql(text),
    log: () => readFileSync(join(cluster.folder, 'log'), 'utf8'),
  };
}

async function behindPgBouncer(stage, mode) {
  requirePackage('pgbouncer', hasPgBouncer());
  const cluster = await stage.cluster();
  const pooler = await PgBouncer.start(cluster, mode);
  stage.later(() => pooler.stop());
  const DATABASE_URL = Object.assign(new URL(cluster.url), { port: String(pooler.port) }).href;
  return onCluster(cluster, { DATABASE_URL, ...PgBouncer.environmentOf(cluster, mode, 'postgres') });
}

/**
 * Ends the primary and promotes the standby. The first time, the primary crashes. The second time, it stops properly.
 */
async function handOver(pair) {
  await (pair.leader === 0 ? pair.die() : pair.stop());
  await pair.promote();
  await pair.rejoin();
}

/** Returns the variables of nodes that store images in a bucket. */
export function bucketVariables({ name, endpoint, credentials }) {
  return {
    S3_BUCKET: name,
    S3_ENDPOINT: endpoint,
    S3_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

/** Returns secrets for nodes that share no data folder, because all nodes need the same secrets. */
export function secrets() {
  const secret = () => randomBytes(32).toString('base64');
  return { ACCESS_TOKEN_SECRET: secret(), PASS_TOKEN_SECRET: secret(), MASTER_KEYS: `soak:${secret()}` };
}
