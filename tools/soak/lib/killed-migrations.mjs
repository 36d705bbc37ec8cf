// Kills nodes with `kill -9` while they migrate a database with data.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { migrations } from '@passwright/database';
import { Ledger } from './ledger.mjs';

/** The first migration that the test repeats. Later migrations rewrite tables with data. */
const FROM = 'EventPartitions1764930000000';
const WRITES_MS = 5000;

/**
 * Undoes the latest migrations of a database with data. Then starts a node that runs them again, and kills the node
 * once during each migration.
 */
export async function stageKilledMigrations(stage) {
  const cluster = await stage.cluster();
  const sql = (text) => cluster.sql(text);
  const [node] = await stage.nodes(1, { DATABASE_URL: cluster.url, DATA_DIR: `${stage.dataDir}/migrated` });
  const ledger = new Ledger([node.url]);
  await ledger.open();
  ledger.start(8, 20);
  await pause(WRITES_MS);
  await ledger.stop();
  await node.stop();
  const { length } = migrations;
  const undone = length - migrations.findIndex(({ name }) => name === FROM);
  await undo(cluster.url, undone);
  let kills = 0;
  for (let done = length - undone; done < length; done += 1) {
    node.start();
    // Wait until the previous migration is recorded, because the next one begins at that moment.
    while (countOf(sql) < done && !node.ended) await pause(5);
    await pause(Math.random() * 60);
    await node.kill();
    kills += 1;
  }
  console.log(
    `killed while migrating: ${kills} kills, ${countOf(sql)} of ${length} migrations recorded after the last`,
  );
  node.start();
  await node.ready();
  const names = sql('SELECT count(DISTINCT name) FROM migration');
  stage.check(Number(names) === length && countOf(sql) === length, `${names} of ${length} migrations are recorded`);
  const invalid = sql('SELECT string_agg(indexrelid::regclass::text, $$, $$) FROM pg_index WHERE NOT indisvalid');
  stage.check(invalid === '', `indexes that are not valid: ${invalid}`);
  await ledger.once('POST', '/v1/pass/soak', { fields: [], id: randomUUID() });
  stage.checkWrites(ledger, sql);
  stage.checkResponses(ledger.responses, { noneAllowed: false });
  await node.stop();
}

function countOf(sql) {
  return Number(sql('SELECT count(*) FROM migration'));
}

async function undo(url, count) {
  const type = /** @type {const} */ ('postgres');
  const options = { type, url, migrations, migrationsTableName: 'migration', poolSize: 1 };
  const dataSource = await new DataSource(options).initialize();
  for (let at = 0; at < count; at += 1) await dataSource.undoLastMigration({ transaction: 'each' });
  await dataSource.destroy();
}
