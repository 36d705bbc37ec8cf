import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DebianPostgres, debianPrograms } from '@passwright/testing';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { dataSourceTo } from './data-source-options.js';
import { NoPrimary, Primary } from './primary.js';
import { type Relay, relayTo } from './relay.fixtures.js';
import { serviceClient } from './service-client.js';
import { isDatabaseUnavailable } from './temporary-errors.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  process.stderr.write('newer-primary.int-spec.ts is skipped: install the Debian package postgresql.\n');
const describeCluster = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

describeCluster('a cluster whose former primary accepts writes again after a promotion', () => {
  let older: DebianPostgres;
  let newer: DebianPostgres;
  let servers: DebianPostgres[];
  let stuck: Server;
  let relays: Relay[];
  let open: { destroy(): Promise<unknown> }[];
  let timers: jest.SpyInstance<NodeJS.Timeout, Parameters<typeof setInterval>>;

  beforeAll(async () => {
    stuck = createServer().listen(0, '127.0.0.1');
    await once(stuck, 'listening');
  });
  afterAll(() => stuck.close());
  beforeEach(async () => {
    [relays, open] = [[], []];
    timers = jest.spyOn(globalThis, 'setInterval');
    older = await DebianPostgres.startCopy('empty');
    newer = await DebianPostgres.standbyOf(older);
    servers = [older, newer];
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(open.map((each) => each.destroy()));
    await Promise.all(relays.map((each) => each.close()));
    for (const server of servers) server.remove();
  });

  const urlOf = (...ports: number[]) =>
    `postgres://passwright@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres`;
  const searchOf = (...ports: number[]) =>
    new Primary(
      ports.map((port) => urlOf(port)),
      'search',
    );
  const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
  async function thirdServer(): Promise<DebianPostgres> {
    const third = await DebianPostgres.standbyOf(older);
    servers.push(third);
    return third;
  }
  const endOf = (client: Client) => new Promise<void>((resolve) => client.once('end', resolve));
  const portOf = async (source: DataSource) =>
    (await source.query<[{ port: number }]>('SELECT inet_server_port() AS port'))[0].port;
  async function relayed(port: number, delayMs?: number): Promise<number> {
    const relay = await relayTo(port, delayMs);
    relays.push(relay);
    return relay.port;
  }
  async function poolOf(...ports: number[]): Promise<DataSource> {
    const source = await new DataSource(dataSourceTo(urlOf(...ports), serviceClient(8000))).initialize();
    open.push(source);
    return source;
  }
  async function clientOf(...ports: number[]): Promise<Client> {
    const client = new (serviceClient(8000))(urlOf(...ports));
    await client.connect();
    open.push({ destroy: () => client.end() });
    return client;
  }
  /** Promotes a standby after a crash of the primary, and starts the former primary again. */
  function failOver(): void {
    older.crash();
    newer.promote();
    older.start();
  }
  /** Runs the searches that open connections repeat. */
  async function searchAgain(): Promise<void> {
    const asked = jest.spyOn(Primary.prototype as unknown as { ask(): Promise<unknown> }, 'ask');
    for (const [work] of timers.mock.calls) work();
    await Promise.all(asked.mock.results.map(({ value }) => value as Promise<unknown>));
    await nextTurn();
  }
  /** Makes the server reject the question for its history. The functions of this schema hide those of Postgres. */
  async function failHistory(server: DebianPostgres): Promise<void> {
    const admin = await clientOf(server.port);
    await admin.query(`
      CREATE SCHEMA broken;
      CREATE FUNCTION broken.pg_control_system() RETURNS TABLE (system_identifier bigint) LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'out of memory' USING ERRCODE = '53200'; END $$;
      ALTER ROLE passwright SET search_path = broken, pg_catalog`);
  }

  it('a search and a pool go to the newer primary, in whatever order and however late the two respond', async () => {
    failOver();
    for (const [olderMs, newerMs] of [
      [0, 50],
      [50, 0],
    ]) {
      const [first, second] = [await relayed(older.port, olderMs), await relayed(newer.port, newerMs)];
      for (const ports of [
        [first, second],
        [second, first],
      ]) {
        expect((await searchOf(...ports).find()).port).toBe(second);
        expect(await portOf(await poolOf(...ports))).toBe(newer.port);
      }
    }
  });

  it('three servers have one newest primary, even after the third server is promoted in its place', async () => {
    const third = await thirdServer();
    failOver();
    const ports = [older.port, third.port, newer.port];
    const search = searchOf(...ports);
    expect((await search.find()).port).toBe(newer.port);
    third.stop();
    third.follow(newer);
    newer.crash();
    search.lost(await search.find());
    expect(await failureOf(search.find())).toBeInstanceOf(NoPrimary);
    third.promote();
    newer.start();
    expect((await search.find()).port).toBe(third.port);
    expect((await searchOf(...ports).find()).port).toBe(third.port);
  });

  it('a server that does not respond delays a search by less than the time limit of a question', async () => {
    failOver();
    const asked = once(stuck, 'connection');
    const port = (stuck.address() as AddressInfo).port;
    expect((await searchOf(older.port, port, newer.port).find()).port).toBe(newer.port);
    const [socket] = (await asked) as [{ destroyed: boolean; readyState: string }];
    expect(socket.readyState).toBe('open');
  });

  it('open connections leave the former primary when a repeated search finds a newer primary', async () => {
    const [idle, busy] = [await clientOf(older.port, newer.port), await clientOf(older.port, newer.port)];
    const running = failureOf(busy.query('SELECT pg_sleep(60)'));
    const ended = Promise.all([idle, busy].map(endOf));
    // The primary keeps running, as after a network error between it and the cluster manager.
    newer.promote();
    await searchAgain();
    await ended;
    expect(isDatabaseUnavailable(await running)).toBe(true);
    const source = await poolOf(older.port, newer.port);
    expect(await portOf(source)).toBe(newer.port);
  });

  it('open connections leave the former primary when one of them is cut', async () => {
    const ports = [await relayed(older.port), newer.port];
    const [cut, kept] = [await clientOf(...ports), await clientOf(...ports)];
    const ended = [cut, kept].map(endOf);
    newer.promote();
    const pid = (await cut.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const admin = await clientOf(older.port);
    await admin.query(`SELECT pg_terminate_backend(${pid})`);
    await ended[0];
    await clientOf(...ports);
    await ended[1];
  });

  it('a connection that is the only one goes to the newer primary, although an earlier one used the former', async () => {
    const ports = [older.port, newer.port];
    const earlier = await clientOf(...ports);
    const ended = endOf(earlier);
    await earlier.end();
    await ended;
    newer.promote();
    const { rows } = await (await clientOf(...ports)).query('SELECT inet_server_port() AS port');
    expect(rows).toEqual([{ port: newer.port }]);
  });

  it('open connections stay when a repeated search finds the same primary', async () => {
    const client = await clientOf(await relayed(older.port), await relayed(older.port), newer.port);
    const source = await poolOf(older.port, newer.port);
    await searchAgain();
    await searchOf(older.port, newer.port).find();
    expect((await client.query('SELECT 1')).rowCount).toBe(1);
    expect(await portOf(source)).toBe(older.port);
  });

  it('a search that knows the newer primary rejects the former one, until all others are standbys', async () => {
    failOver();
    const search = searchOf(older.port, newer.port);
    const found = await search.find();
    newer.crash();
    search.lost(found);
    const failure = (await failureOf(search.find())) as Error;
    expect(failure).toBeInstanceOf(NoPrimary);
    expect(failure.message).toContain(`127.0.0.1:${older.port}: The server was the primary before a promotion`);
    expect(isDatabaseUnavailable(failure)).toBe(true);
    newer.follow(older);
    expect((await search.find()).port).toBe(older.port);
  });

  it('two servers promoted from the same primary are an error, except for a process that already uses one of them', async () => {
    const third = await thirdServer();
    older.crash();
    newer.promote();
    const ports = [newer.port, third.port];
    const search = searchOf(...ports);
    const found = await search.find();
    third.promote();
    search.lost(found);
    expect((await search.find()).port).toBe(newer.port);
    const failure = (await failureOf(searchOf(...ports).find())) as Error;
    expect(failure.message).toBe(
      `Several servers accept writes, and it is not clear which one is the newest: 127.0.0.1:${newer.port}, ` +
        `127.0.0.1:${third.port}`,
    );
    expect(isDatabaseUnavailable(await failureOf(poolOf(...ports)))).toBe(true);
  });

  it('open connections stay at the newer primary if it fails to say its timeline', async () => {
    failOver();
    const client = await clientOf(older.port, newer.port);
    await failHistory(newer);
    await searchAgain();
    expect((await client.query('SELECT inet_server_port() AS port')).rows).toEqual([{ port: newer.port }]);
  });

  it('open connections stay at a primary that fails one search, although a server of another cluster responds', async () => {
    const stranger = await DebianPostgres.start();
    servers.push(stranger);
    stranger.stop();
    const client = await clientOf(older.port, stranger.port);
    stranger.start();
    await failHistory(older);
    await searchAgain();
    expect((await client.query('SELECT inet_server_port() AS port')).rows).toEqual([{ port: older.port }]);
  });

  it('a server that does not say its timeline is used', async () => {
    const admin = await clientOf(older.port);
    await admin.query('CREATE ROLE limited LOGIN; REVOKE EXECUTE ON FUNCTION pg_current_wal_insert_lsn FROM PUBLIC');
    const urls = [newer, older].map(({ port }) => urlOf(port).replace('passwright@', 'limited@'));
    expect((await new Primary(urls, 'search').find()).port).toBe(older.port);
  });
});
