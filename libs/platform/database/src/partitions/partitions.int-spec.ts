import { setTimeout as pause } from 'node:timers/promises';
import { Test, type TestingModule } from '@nestjs/testing';
import { testDatabase } from '@passwright/testing';
import { Logger } from '@nestjs/common';
import { Database } from '../database.js';
import { DatabaseModule } from '../database.module.js';
import { maintainPartitions } from './partitions.js';
import { partitionEnd, type PartitionedTable } from './partitioned-table.js';

let nodes: TestingModule[];
let table: PartitionedTable;
let made = 0;

beforeAll(async () => {
  const { url } = await testDatabase();
  const start = () => Test.createTestingModule({ imports: [DatabaseModule.forRoot({ url, poolSize: 3 })] }).compile();
  nodes = await Promise.all([start(), start()]);
});
afterAll(() => Promise.all(nodes.map((node) => node.close())));
afterEach(() => jest.restoreAllMocks());

const database = (node = 0) => nodes[node]!.get(Database);
const sql = <Row>(text: string, values: unknown[] = []) => database().reads.query<Row[]>(text, values);

/** Creates the table as a migration leaves it: one partition until Wednesday, 4 March, and the default one. */
beforeEach(async () => {
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const name = `thing${made++}`;
  table = { name, key: 'at', each: 'day', ahead: 2 };
  await sql(`
    CREATE TABLE ${name} (id integer, at timestamptz NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
    CREATE TABLE ${name}_before_20260304 PARTITION OF ${name} FOR VALUES FROM (MINVALUE) TO ('2026-03-04Z');
    CREATE TABLE ${name}_default PARTITION OF ${name} DEFAULT`);
});
afterEach(() => sql(`DROP TABLE ${table.name}`));

const insert = (...times: string[]) =>
  sql(`INSERT INTO ${table.name} SELECT n, at FROM unnest($1::timestamptz[]) WITH ORDINALITY AS t(at, n)`, [times]);
const maintain = (now: string, before = '2000-01-01Z', node = 0) =>
  maintainPartitions(database(node), table, { now: new Date(now), before: new Date(before) });

/** Waits until a transaction is blocked on the table's lock. */
async function waitForLock(relation: string): Promise<void> {
  // Compare the database too, because tables of other specs may have the same ids in other databases.
  const waitingSql = `SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  const waiting = () => sql(waitingSql, [relation]);
  while ((await waiting()).length === 0) await pause(5);
}

/** Returns the number of rows in each partition, keyed by the partition's end. */
async function rowsByPartition(): Promise<Record<string, number>> {
  const rows = await sql<{ name: string; rows: number }>(
    `SELECT replace(replace(c.relname, $1 || '_', ''), 'before_2026', '') AS name, count(t.id)::int AS rows
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid LEFT JOIN ${table.name} t ON t.tableoid = c.oid
     WHERE i.inhparent = $1::regclass GROUP BY c.relname ORDER BY c.relname`,
    [table.name],
  );
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

it.each([
  ['day', '2026-03-04T23:59:59.999Z', '2026-03-05'],
  ['day', '2026-03-05T00:00:00.000Z', '2026-03-06'],
  ['week', '2026-03-08T23:59:59.999Z', '2026-03-09'],
  ['week', '2026-03-09T00:00:00.000Z', '2026-03-16'],
  ['month', '2026-12-31T23:59:59.999Z', '2027-01-01'],
] as const)('partitionEnd returns the end of the %s that contains %s: %s', (each, at, end) => {
  expect(partitionEnd({ each }, new Date(at))).toEqual(new Date(end));
});

it('maintainPartitions creates partitions in advance, and changes nothing the second time', async () => {
  for (let time = 0; time < 2; time++) {
    await maintain('2026-03-03T10:00Z');
    expect(await rowsByPartition()).toEqual({ '0304': 0, '0305': 0, '0306': 0, default: 0 });
  }
  await insert('2026-03-03T10:00Z', '2026-03-04Z', '2026-03-05T23:59Z', '2026-03-06Z');
  expect(await rowsByPartition()).toEqual({ '0304': 1, '0305': 1, '0306': 1, default: 1 });
});

it('two nodes that call maintainPartitions at the same time create each partition once', async () => {
  const write = (n: number) =>
    database().transaction((tx) =>
      tx.query(`INSERT INTO ${table.name} VALUES (${n}, '2026-03-0${(n % 5) + 3}T10:${n + 10}Z')`),
    );
  const writes = Array.from({ length: 20 }, (_, n) => write(n));
  const times = [0, 1, 0, 1].map((node) => maintain('2026-03-05T10:00Z', undefined, node));
  await Promise.all([...writes, ...times]);
  const { default: rest, ...rows } = await rowsByPartition();
  expect(Object.keys(rows)).toEqual(expect.arrayContaining(['0304', '0308']));
  expect(rest).toBe(0);
  expect(Object.values(rows).reduce((sum, count) => sum + count, 0)).toBe(20);
});

it('maintainPartitions creates a partition even while a transaction commits a row for it to the default partition', async () => {
  const late = nodes[1]!.get(Database).transaction(async (tx) => {
    await tx.query(`INSERT INTO ${table.name} VALUES (9, '2026-03-05T10:00Z')`);
    const maintained = maintain('2026-03-05T10:00Z');
    await waitForLock(`${table.name}_default`);
    return { maintained };
  });
  await (
    await late
  ).maintained;
  expect(await rowsByPartition()).toEqual({ '0304': 0, '0306': 1, '0307': 0, '0308': 0, default: 0 });
});

it('a row on its way to the default partition goes to the partition that was created meanwhile', async () => {
  const { written } = await nodes[1]!.get(Database).transaction(async (tx) => {
    await tx.query(`CREATE TABLE ${table.name}_late (LIKE ${table.name} INCLUDING ALL)`);
    const span = `FROM ('2026-03-04Z') TO ('2026-03-05Z')`;
    await tx.query(`ALTER TABLE ${table.name} ATTACH PARTITION ${table.name}_late FOR VALUES ${span}`);
    const writing = database().transaction((other) =>
      other.query(`INSERT INTO ${table.name} VALUES (1, '2026-03-04T10:00Z')`),
    );
    await waitForLock(`${table.name}_default`);
    return { written: writing };
  });
  await written;
  expect(await rowsByPartition()).toMatchObject({ late: 1, default: 0 });
});

it('maintainPartitions extends the former default partition to a row that is committed during the wait for the lock', async () => {
  await insert('2026-03-20Z');
  const late = nodes[1]!.get(Database).transaction(async (tx) => {
    await tx.query(`INSERT INTO ${table.name} VALUES (9, '2026-04-09Z')`);
    const maintained = maintain('2026-04-01T10:00Z');
    await waitForLock(table.name);
    return { maintained };
  });
  await (
    await late
  ).maintained;
  expect(await rowsByPartition()).toMatchObject({ '0304': 0, '0410': 2, default: 0 });
});

it('a table accepts every row after weeks without maintenance', async () => {
  await insert('2026-03-03Z', '2026-03-20Z', '2026-04-01T09:00Z');
  await maintain('2026-04-01T10:00Z');
  expect(await rowsByPartition()).toEqual({ '0304': 1, '0402': 2, '0403': 0, '0404': 0, default: 0 });
});

it('maintainPartitions drops partitions in which every row is old, and the table still accepts older rows', async () => {
  await maintain('2026-03-03T10:00Z');
  await insert('2025-01-01Z', '2026-03-04T10:00Z', '2026-03-05T10:00Z');
  await maintain('2026-03-05T10:00Z', '2026-03-04T23:59Z');
  expect(await rowsByPartition()).toEqual({ '0304': 0, '0305': 1, '0306': 1, '0307': 0, '0308': 0, default: 0 });
  await insert('2025-01-01Z');
  expect((await rowsByPartition())['0304']).toBe(1);
  await maintain('2026-03-05T10:00Z', '2026-03-05Z');
  expect(await rowsByPartition()).toEqual({ '0305': 0, '0306': 1, '0307': 0, '0308': 0, default: 0 });
});

it('maintainPartitions drops no partition if the clock is ahead but the newest row is not', async () => {
  await insert('2026-03-03T10:00Z', '2026-03-04T10:00Z');
  await maintain('2027-05-29T10:00Z', '2027-04-29T10:00Z');
  expect(Object.values(await rowsByPartition()).reduce((sum, count) => sum + count, 0)).toBe(2);
});

it('maintainPartitions drops no partition because of rows that were written while a clock was ahead', async () => {
  await insert('2026-03-03T10:00Z', '2026-03-04T10:00Z', '2027-05-28T10:00Z', '2027-05-29T09:00Z');
  await maintain('2027-05-29T10:00Z', '2027-05-01T10:00Z');
  expect(Object.values(await rowsByPartition()).reduce((sum, count) => sum + count, 0)).toBe(4);
});

it('maintainPartitions also creates the partitions that it missed during a pause', async () => {
  await maintain('2026-03-06T10:00Z');
  expect(Object.keys(await rowsByPartition())).toEqual(['0304', '0305', '0306', '0307', '0308', '0309', 'default']);
});

it('maintainPartitions keeps working when the default partition contains a row from the far future', async () => {
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  await insert('2026-03-03Z', '2026-03-04T12:00Z', '2026-03-05T10:00Z', '2099-01-01Z');
  await maintain('2026-03-05T10:00Z', '2026-03-04Z');
  expect(await rowsByPartition()).toEqual({ '0304': 0, default: 3 });
  expect(error).toHaveBeenCalledTimes(1);
});

it('maintainPartitions gives up soon when a transaction uses the table, and succeeds later', async () => {
  await insert('2026-03-03Z', '2026-03-03T10:00Z');
  await database().transaction(async (tx) => {
    await tx.query(`SELECT count(*) FROM ${table.name}`);
    await maintain('2026-03-03T10:00Z', '2026-03-04Z', 1);
    expect((await rowsByPartition())['0304']).toBe(2);
  });
  await maintain('2026-03-03T10:00Z', '2026-03-04Z', 1);
  expect(await rowsByPartition()).toEqual({ '0304': 0, '0305': 0, '0306': 0, default: 0 });
});

it('maintainPartitions tries again shortly when the table is in use', async () => {
  await insert('2026-03-03Z', '2026-03-03T10:00Z');
  const isWaiting = async () =>
    (
      await sql(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
        [`DROP TABLE ${table.name}%`],
      )
    ).length > 0;
  let maintenance: Promise<void> | undefined;
  await database().transaction(async (tx) => {
    await tx.query(`SELECT count(*) FROM ${table.name}`);
    let isOver = false;
    maintenance = maintain('2026-03-03T10:00Z', '2026-03-04Z', 1).finally(() => (isOver = true));
    while (!isOver && !(await isWaiting())) await pause(5);
    while (await isWaiting()) await pause(5);
  });
  await maintenance;
  expect((await rowsByPartition())['0304']).toBe(0);
});

it('maintainPartitions creates partitions with the TRUNCATE triggers of their table', async () => {
  await sql(`CREATE FUNCTION ${table.name}_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'stays'; END $$`);
  await sql(`CREATE TRIGGER stays BEFORE TRUNCATE ON ${table.name} EXECUTE FUNCTION ${table.name}_stays()`);
  await maintain('2026-03-03T10:00Z');
  await expect(sql(`TRUNCATE ${table.name}_before_20260305`)).rejects.toThrow('stays');
});

it('maintainPartitions creates partitions of a table whose key is derived from the time', async () => {
  await sql(`
    DROP TABLE ${table.name};
    CREATE TABLE ${table.name} (id text COLLATE "C" PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE ${table.name}_before_20260304 PARTITION OF ${table.name} FOR VALUES FROM (MINVALUE) TO ('evt_1772582400000');
    CREATE TABLE ${table.name}_default PARTITION OF ${table.name} DEFAULT`);
  table = { ...table, key: 'id', keyAt: (at) => `evt_${at.getTime()}` };
  await sql(`INSERT INTO ${table.name} VALUES ('evt_17726000000001'), ('evt_1772582399999')`);
  await maintain('2026-03-04T10:00Z');
  expect(await rowsByPartition()).toMatchObject({ '0304': 1, '0305': 1, default: 0 });
});
