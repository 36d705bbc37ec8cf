import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { DebianPostgres, debianPrograms, freePort } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { dataSourceTo } from './data-source-options.js';
import { NoPrimary, Primary, serverUrls } from './primary.js';
import { serviceClient } from './service-client.js';
import { databaseError, isDatabaseUnavailable } from './temporary-errors.js';

const isInstalled = debianPrograms() !== null;
if (!isInstalled) process.stderr.write('primary.int-spec.ts is skipped: install the Debian package postgresql.\n');
const describeCluster = isInstalled ? describe : describe.skip;

jest.setTimeout(120_000);

it.each([
  ['postgres://u:p%40s@db1:5432,db2/name?ssl=true', ['db1:5432', 'db2']],
  ['postgresql://[::1]:5433,[::2]:5434/name', ['[::1]:5433', '[::2]:5434']],
  ['Postgres://u@db1,db2/name', ['db1', 'db2']],
])('serverUrls splits %s', (url, hosts) => {
  expect(serverUrls(url)).toEqual(hosts.map((host) => url.replace(/(?<=@|\/\/)[^@/]*,[^/]*/, host)));
});

it.each([
  'postgres://u:p@db1:5432/name',
  'postgres://u:a@b,c@db1/name',
  'postgres:///name?host=/run/postgresql',
  'not an address',
])('serverUrls leaves %s as it is', (url) => {
  expect(serverUrls(url)).toEqual([url]);
});

describeCluster('a cluster', () => {
  let primary: DebianPostgres;
  let standby: DebianPostgres;
  let stuck: Server;
  let open: DataSource[];

  beforeAll(async () => {
    // This server accepts connections but never responds, like a frozen server.
    stuck = createServer().listen(0, '127.0.0.1');
    await once(stuck, 'listening');
  });
  afterAll(() => stuck.close());
  beforeEach(async () => {
    open = [];
    primary = await DebianPostgres.startCopy('empty');
    standby = await DebianPostgres.standbyOf(primary);
  });
  afterEach(async () => {
    await Promise.all(open.map((each) => each.destroy()));
    primary.remove();
    standby.remove();
  });

  const hostOf = (port: number) => `127.0.0.1:${port}`;
  const urlOf = (...ports: number[]) => `postgres://passwright@${ports.map(hostOf).join()}/postgres`;
  const connect = async (url: string) => {
    const source = await new DataSource(dataSourceTo(url, serviceClient(8000))).initialize();
    open.push(source);
    return source;
  };
  const portOf = async (source: DataSource) =>
    (await source.query<[{ port: number }]>('SELECT inet_server_port() AS port'))[0].port;
  const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
  const isReplicated = async (source: DataSource) => {
    const sql = 'SELECT coalesce(bool_and(flush_lsn >= pg_current_wal_lsn()), false) AS yes FROM pg_stat_replication';
    return (await source.query<[{ yes: boolean }]>(sql))[0].yes;
  };

  it('connections go to the primary, in whatever order the address lists the servers', async () => {
    for (const ports of [
      [standby.port, primary.port],
      [primary.port, standby.port],
      [(stuck.address() as AddressInfo).port, standby.port, primary.port],
    ]) {
      expect(await portOf(await connect(urlOf(...ports)))).toBe(primary.port);
    }
  });

  it('connections go to the promoted standby after the primary has died', async () => {
    const source = await connect(urlOf(primary.port, standby.port));
    await source.query('CREATE TABLE kept ()');
    while (!(await isReplicated(source)));
    primary.crash();
    const failure = await failureOf(source.query('SELECT 1'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    // Each search asks both servers, so the pool need not restart after the promotion.
    expect(await failureOf(source.query('SELECT 1'))).toBeInstanceOf(NoPrimary);
    standby.promote();
    await source.query('INSERT INTO kept DEFAULT VALUES');
    expect(await portOf(source)).toBe(standby.port);
  });

  it('Primary finds a promoted standby, even if connections were lost during earlier searches', async () => {
    const search = new Primary([urlOf(primary.port), urlOf(standby.port)], 'search');
    const server = await search.find();
    for (let round = 0; round < 20; round++) {
      search.lost(server);
      const searches = [search.find()];
      search.lost(server);
      searches.push(search.find());
      for (const each of await Promise.all(searches)) search.lost(each);
      await search.find();
    }
    primary.crash();
    search.lost(server);
    await failureOf(search.find());
    standby.promote();
    expect(await search.find()).toMatchObject({ host: '127.0.0.1', port: standby.port });
  });

  it('a connection that is ended during the search for its server does not open', async () => {
    const Client = serviceClient(8000);
    const client = new Client({ connectionString: urlOf(standby.port, primary.port), application_name: 'ended' });
    const failure = failureOf(client.connect());
    void client.end();
    expect(isDatabaseUnavailable(await failure)).toBe(true);
    const source = await connect(primary.url);
    const sql = `SELECT FROM pg_stat_activity WHERE application_name = 'ended'`;
    expect(await source.query(sql)).toEqual([]);
  });

  it.each([
    [undefined, 'passwright@tickets search'],
    ['operator', 'operator search'],
  ])('connections that search for the server of a connection named %j are named %j', async (name, expected) => {
    const asked = once(stuck, 'connection').then(([socket]) => once(socket as Socket, 'data'));
    const url = urlOf((stuck.address() as AddressInfo).port, primary.port);
    const client = new (serviceClient(8000, { schema: 'tickets' }))({ connectionString: url, application_name: name });
    await client.connect();
    await client.end();
    expect(String((await asked)[0])).toContain(`application_name\0${expected}\0`);
  });

  it('an error explains for each server why the server does not accept writes', async () => {
    const nobody = await freePort();
    const failure = (await failureOf(connect(urlOf(standby.port, nobody)))) as Error;
    expect(failure.message).toBe(
      `No server is the primary. ${hostOf(standby.port)}: The server is a standby; ` +
        `${hostOf(nobody)}: connect ECONNREFUSED ${hostOf(nobody)}`,
    );
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  it('a server that rejects the role is reported, even if another server does not respond', async () => {
    const { port } = stuck.address() as AddressInfo;
    const failure = await failureOf(connect(urlOf(primary.port, port).replace('passwright@', 'nobody@')));
    expect(failure).toMatchObject({ message: 'role "nobody" does not exist' });
  });

  it('a standby that is the only server is unavailable until its promotion, and usable afterwards', async () => {
    const failure = await failureOf(connect(standby.url));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(databaseError(failure)).toBe('is read-only');
    standby.promote();
    expect(await portOf(await connect(standby.url))).toBe(standby.port);
  });

  it('a connection is closed after the server has rejected a write as read-only', async () => {
    const source = await connect(primary.url);
    await source.query('CREATE TABLE kept ()');
    const pid = async () => (await source.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid'))[0].pid;
    const first = await pid();
    await source.query('SET default_transaction_read_only = on');
    const failure = await failureOf(source.query('INSERT INTO kept DEFAULT VALUES'));
    expect(failure).toMatchObject({ driverError: { code: '25006' } });
    await source.query('INSERT INTO kept DEFAULT VALUES');
    expect(await pid()).not.toBe(first);
  });
});
