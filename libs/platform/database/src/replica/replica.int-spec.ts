import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Counted, onCounted } from '@passwright/core';
import { DebianPostgres, debianPrograms, hasPgBouncer, PgBouncer } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { dataSourceTo } from '../connections/data-source-options.js';
import { serviceClient } from '../connections/service-client.js';
import { enabledStorages } from '../closable-storage.fixtures.js';
import { Database } from '../database.js';
import { migrate } from '../migrate.js';
import { Replica } from './replica.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('replica.int-spec.ts is skipped: install the Debian package postgresql.\n');
if (!hasPgBouncer()) process.stderr.write('A standby behind a pooler is skipped: install pgbouncer.\n');
const describeReplica = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

describeReplica('reads on a standby', () => {
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let source: DataSource;
  let database: Database;
  let servers: Extract<Counted, { name: 'replica_reads' }>['labels']['server'][];
  let endCounting: () => void;

  beforeAll(async () => {
    primary = await DebianPostgres.startCopy('migrated');
    standby = await DebianPostgres.standbyOf(primary);
    source = await new DataSource(dataSourceTo(primary.url, serviceClient(8000))).initialize();
    await source.query('CREATE TABLE counter AS SELECT 0 AS value');
    const options = { url: primary.url, poolSize: 4, statementMs: 8000, replicaUrl: standby.url };
    database = new Database(source, new Replica(source, options));
    endCounting = onCounted(({ name, labels }) => {
      if (name === 'replica_reads') servers.push(labels.server);
    });
  });
  beforeEach(() => (servers = []));
  afterAll(async () => {
    endCounting();
    await database.onModuleDestroy();
    await source.destroy();
    primary.remove();
    standby.remove();
  });

  const increment = () => source.query('UPDATE counter SET value = value + 1 RETURNING value');
  const valueSql = 'SELECT value, inet_server_port() AS port FROM counter';
  const read = (): Promise<[{ value: number; port: number }]> =>
    database.onReplica(() => database.lookUp('counter', valueSql, []) as Promise<[{ value: number; port: number }]>);
  const current = async () => (await source.query<[{ value: number }]>('SELECT value FROM counter'))[0].value;
  /**
   * Reads until the standby responds again, because reads skip it for a second after a failure. On a busy machine, it
   * may also be late.
   */
  const untilReplicaReads = async () => {
    while ((await read())[0].port !== standby.port) await pause(20);
  };

  it('every read on the standby shows what was committed before it', async () => {
    // Repeat the reads, because the standby is sometimes late on a busy machine, and the primary answers.
    while (servers.filter((server) => server === 'replica').length < 100) {
      await increment();
      const [{ value }] = await read();
      expect(value).toBe(await current());
    }
  });

  it('simultaneous reads and writes see each write that ended before the read began', async () => {
    await untilReplicaReads();
    const writer = async () => {
      for (let n = 0; n < 50; n++) await increment();
    };
    const reader = async () => {
      for (let n = 0; n < 50; n++) {
        const before = await current();
        expect((await read())[0].value).toBeGreaterThanOrEqual(before);
      }
    };
    servers = [];
    do await Promise.all([writer(), ...Array.from({ length: 8 }, reader)]);
    while (!servers.includes('replica'));
  });

  it('reads through `reads` use the standby too', async () => {
    const portOf = async () => (await database.reads.query<[{ port: number }]>(valueSql))[0].port;
    while ((await database.onReplica(portOf)) !== standby.port) await pause(20);
  });

  it('the primary answers while the standby does not replay', async () => {
    await untilReplicaReads();
    const onStandby = await new DataSource({ type: 'postgres', url: standby.url }).initialize();
    await onStandby.query('SELECT pg_wal_replay_pause()');
    await increment();
    const expected = await current();
    expect(await read()).toEqual([{ value: expected, port: primary.port }]);
    await onStandby.query('SELECT pg_wal_replay_resume()');
    await untilReplicaReads();
    expect((await read())[0].value).toBe(expected);
    await onStandby.destroy();
  });

  it('reads within a transaction see its writes', async () => {
    const seen = await database.inOneTransaction(async () => {
      await database.transaction((tx) => tx.query('UPDATE counter SET value = value + 1'));
      return read();
    });
    expect(seen).toEqual([{ value: await current(), port: primary.port }]);
  });

  it('a transaction that begins within a read on the standby reads from the primary', async () => {
    const portOf = async () => (await database.reads.query<[{ port: number }]>(valueSql))[0].port;
    const reading = async () => {
      const later = new Promise<number>((resolve) => database.eventually(async () => resolve(await portOf())));
      return {
        read: await portOf(),
        transaction: await database.transaction(portOf),
        joined: await database.inOneTransaction(portOf),
        later: await later,
        afterwards: await portOf(),
      };
    };
    let ports: Awaited<ReturnType<typeof reading>>;
    do {
      await untilReplicaReads();
      ports = await database.onReplica(reading);
    } while (ports.read !== standby.port);
    const { port } = primary;
    const expected = { read: standby.port, transaction: port, joined: port, later: port, afterwards: standby.port };
    expect(ports).toEqual(expected);
  });

  it('reads run again on the primary when the standby fails during a read', async () => {
    let ports: number[];
    const reading = async () => {
      const [row] = await database.reads.query<[{ value: number; port: number }]>(valueSql);
      ports.push(row.port);
      if (row.port === standby.port)
        await database.reads.query('SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)');
      return row;
    };
    let row: Awaited<ReturnType<typeof reading>>;
    do {
      await untilReplicaReads();
      ports = [];
      row = await database.onReplica(reading);
    } while (ports[0] !== standby.port);
    expect({ ports, row }).toEqual({
      ports: [standby.port, primary.port],
      row: { value: await current(), port: primary.port },
    });
  });

  it('a read whose own statement fails throws the error and does not run again', async () => {
    await untilReplicaReads();
    let runs = 0;
    const failing = () => {
      runs += 1;
      return database.reads.query('SELECT 1 / 0');
    };
    await expect(database.onReplica(failing)).rejects.toThrow('division by zero');
    expect(runs).toBe(1);
  });

  it('the primary answers while the standby is unavailable, and the standby answers again afterwards', async () => {
    await untilReplicaReads();
    standby.crash();
    for (let n = 0; n < 3; n++) {
      await increment();
      expect(await read()).toEqual([{ value: await current(), port: primary.port }]);
    }
    standby.start();
    await untilReplicaReads();
    expect((await read())[0].value).toBe(await current());
  });

  it('reads do not use a standby of another database of the same cluster', async () => {
    await source.query('CREATE DATABASE staging');
    await migrate(Object.assign(new URL(primary.url), { pathname: '/staging' }).href);
    const replicaUrl = Object.assign(new URL(standby.url), { pathname: '/staging' }).href;
    const other = new Database(source, new Replica(source, { url: primary.url, poolSize: 2, replicaUrl }));
    await untilReplicaReads();
    servers = [];
    const [row] = await other.onReplica(() => other.lookUp<{ port: number }>('counter', valueSql, []));
    expect([row?.port, servers]).toEqual([primary.port, ['primary']]);
    await other.onModuleDestroy();
  });

  it('a replica that was closed leaves no enabled storage behind', async () => {
    const before = enabledStorages();
    const ended = new Database(source, new Replica(source, { url: primary.url, poolSize: 2, replicaUrl: standby.url }));
    while (!servers.includes('replica')) await ended.onReplica(() => ended.lookUp('counter', valueSql, []));
    await ended.onModuleDestroy();
    expect(enabledStorages()).toBe(before);
  });

  /** Reads three times, far enough apart that each read tries the standby again. @returns the ports that answered */
  const portsOfReads = async (reader: Database) => {
    const time = performance.now.bind(performance);
    const now = jest.spyOn(performance, 'now');
    const ports: (number | undefined)[] = [];
    for (let n = 0; n < 3; n++) {
      now.mockImplementation(() => time() + n * 1100);
      const [row] = await reader.onReplica(() => reader.lookUp<{ port: number }>('counter', valueSql, []));
      ports.push(row?.port);
    }
    now.mockRestore();
    return ports;
  };

  /** Reads until the standby responds, because it may be late on a busy machine. */
  const rowOfStandby = async (reader: Database) => {
    for (;;) {
      const [row] = await reader.onReplica(() => reader.lookUp<{ port: number }>('counter', valueSql, []));
      if (row?.port === standby.port) return row;
      await pause(20);
    }
  };
  const portsOfStandby = async (reader: Database) => [(await rowOfStandby(reader)).port];

  (hasPgBouncer() ? it : it.skip).each([
    ['transaction', () => [primary.port, primary.port, primary.port], portsOfReads],
    ['session', () => [standby.port], portsOfStandby],
  ])('reads use the right server if the standby is behind a pooler in %s mode', async (mode, ports, read) => {
    const pooler = await PgBouncer.start(standby, { pool_mode: mode });
    const replica = new Replica(source, { url: primary.url, poolSize: 2, pooled: true, replicaUrl: pooler.url });
    const reader = new Database(source, replica);
    expect(await read(reader)).toEqual(ports());
    await reader.onModuleDestroy();
    await pooler.stop();
  });

  describe('a schema of its own beside an installation in the default schema', () => {
    let tickets: DataSource;
    beforeAll(async () => {
      await source.query('CREATE SCHEMA tickets; CREATE TABLE tickets.counter AS SELECT -7 AS value');
      await migrate(primary.url, { schema: 'tickets' });
      tickets = await new DataSource(
        dataSourceTo(primary.url, serviceClient(8000, { schema: 'tickets' })),
      ).initialize();
    });
    afterAll(() => tickets.destroy());
    const readerOf = (replicaUrl: string) => {
      const options = { url: primary.url, poolSize: 2, pooled: true, schema: 'tickets', replicaUrl };
      return new Database(tickets, new Replica(tickets, options), 'tickets');
    };

    it('reads on a standby see the tables of the schema, even if the primary is behind a pooler', async () => {
      const reader = readerOf(standby.url);
      expect(await rowOfStandby(reader)).toEqual({ value: -7, port: standby.port });
      await reader.onModuleDestroy();
    });

    it('reads do not use a standby whose role has no access to the schema, and the log says so', async () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
      await source.query('CREATE ROLE outsider LOGIN');
      const reader = readerOf(Object.assign(new URL(standby.url), { username: 'outsider' }).href);
      expect(await portsOfReads(reader)).toEqual([primary.port, primary.port, primary.port]);
      // Wait for the log: on a busy machine, the reads end before the connection to the standby.
      while (warn.mock.calls.length === 0) await pause(20);
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/Grant their role USAGE on the schema "tickets"/)]]);
      warn.mockRestore();
      await reader.onModuleDestroy();
    });
  });

  it('reads no longer use a standby after its promotion', async () => {
    await untilReplicaReads();
    standby.promote();
    expect((await read())[0].port).toBe(primary.port);
  });

  it('reads do not use a standby that stayed on the old timeline after a promotion', async () => {
    const left = await DebianPostgres.standbyOf(primary);
    const promoted = await new DataSource(dataSourceTo(standby.url, serviceClient(8000))).initialize();
    const replica = new Replica(promoted, { url: standby.url, poolSize: 2, replicaUrl: left.url });
    const reader = new Database(promoted, replica);
    // Write changes that the promoted standby does not have.
    await source.query('SELECT pg_switch_wal()');
    await increment();
    expect(await portsOfReads(reader)).toEqual([standby.port, standby.port, standby.port]);
    await reader.onModuleDestroy();
    await promoted.destroy();
    left.remove();
  });
});
