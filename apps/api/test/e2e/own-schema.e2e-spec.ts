import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { migrate, queueTables } from '@passwright/database';
import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { Client } from 'pg';
import {
  AppleWalletWorld,
  genericImages,
  mustBe,
  setPoints,
  showsPoints,
  until,
} from '../support/apple-wallet-world.js';
import { addEverySchedule, callEveryOperation } from '../support/every-operation.js';
import { createHostTables, occupyNames, stateOfHost, usesOfHost } from '../support/host-tables.js';
import type { Account } from '../support/running-service.js';

jest.setTimeout(180_000);

const schemas = ['first', 'second'] as const;
/** The delivered events by the path of their webhook. */
const events = new Map<string, Record<string, unknown>[]>();
const receiver = createServer((request, response) => {
  request.setEncoding('utf8');
  let text = '';
  request.on('data', (part: string) => (text += part));
  request.on('end', () => {
    events.set(request.url ?? '', [...(events.get(request.url ?? '') ?? []), JSON.parse(text).data]);
    response.writeHead(204).end();
  });
});
let database: TestDatabase;
let client: Client;
let worlds: [AppleWalletWorld, AppleWalletWorld];
let stateBefore: string[];
let usesBefore: Record<string, string>;

beforeAll(async () => {
  database = await emptyDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await alone(createHostTables);
  await migrate(database.url, { schema: 'first' });
  await alone((host) => occupyNames(host, 'first'));
  // The host has a table under each name that the second installation uses.
  await migrate(database.url, { schema: 'second' });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  stateBefore = await alone(stateOfHost);
  usesBefore = await finalUses();
  const [first, second] = await Promise.all(schemas.map((schema) => AppleWalletWorld.start(environment(schema))));
  worlds = [first as AppleWalletWorld, second as AppleWalletWorld];
});
afterAll(async () => {
  for (const world of worlds ?? []) await world.stop();
  receiver.close();
  await client.end();
  await database.drop();
});

/** Runs work on a separate connection, which is closed afterwards. */
async function alone<T>(work: (host: Client) => Promise<T>): Promise<T> {
  const host = new Client({ connectionString: database.url });
  await host.connect();
  try {
    return await work(host);
  } finally {
    await host.end();
  }
}

/**
 * Returns how often each table of the host was used. Waits until all other connections have ended, because the server
 * counts the uses of a connection at its end at the latest.
 */
async function finalUses(): Promise<Record<string, string>> {
  const othersSql = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
  while ((await client.query(othersSql)).rowCount !== 0);
  return usesOfHost(client);
}

const portOfReceiver = () => (receiver.address() as AddressInfo).port;

const environment = (schema: string) => ({
  DATABASE_URL: database.url,
  DATABASE_SCHEMA: schema,
  WEBHOOK_HOSTS_ALLOWED: `127.0.0.1:${portOfReceiver()}`,
  RATE_LIMIT_PER_MINUTE: '100000',
});

/** Creates a webhook that sends the events of an account to the receiver. */
async function hook(account: Account, schema: string): Promise<void> {
  mustBe(201, await account.post('/v1/webhooks', { url: `http://127.0.0.1:${portOfReceiver()}/${schema}` }));
}

const failedSql = (schema: string) => `SELECT last_error FROM ${queueTables(schema).jobs} WHERE last_error IS NOT NULL`;

it('two installations in one database issue, change, push and show passes, and send their own events', async () => {
  const ids = await Promise.all(
    worlds.map(async (world, at) => {
      const account = await world.newAccount();
      await hook(account, schemas[at] as string);
      const held = await world.hold(account, 'offer');
      await setPoints(held, '5');
      await showsPoints(held, '5');
      const { body } = mustBe(200, await account.get(held.path));
      const page = mustBe(200, await world.service.request('GET', body.webUrl));
      expect(page.bytes.toString()).toContain('Summer offer');
      return held.id;
    }),
  );
  for (const [at, schema] of schemas.entries()) {
    const sent = () => events.get(`/${schema}`) ?? [];
    await until(sent, (seen) => seen.length >= 3);
    expect(new Set(sent().map(({ passId }) => passId))).toEqual(new Set([ids[at]]));
    await worlds[at]?.jobsIdle();
    expect((await client.query(failedSql(schema))).rows).toEqual([]);
  }
});

it('an installation without workers keeps its jobs while other installations in the database have workers', async () => {
  await migrate(database.url, { schema: 'third' });
  const third = await AppleWalletWorld.start({ ...environment('third'), ROLE: 'api' });
  const waiting = async () => {
    const sql = `SELECT attempts FROM ${queueTables('third').jobs}`;
    return (await client.query<{ attempts: number }>(sql)).rows.map(({ attempts }) => attempts);
  };
  try {
    const account = await third.service.register();
    await hook(account, 'third');
    await third.saveTemplate(account, 'offer');
    await third.issue(account, 'offer');
    // When another installation has completed a new job, its workers have looked for jobs.
    await hook(await worlds[0].newAccount(), 'first');
    await worlds[0].jobsIdle();
    expect(new Set(await waiting())).toEqual(new Set([0]));
    await third.addNode({ ROLE: 'worker' });
    await third.jobsIdle();
    await until(
      () => events.get('/third')?.length,
      (count) => count === 1,
    );
  } finally {
    await third.stop();
  }
});

it('every operation and every schedule works in a schema, and touches no table of the host', async () => {
  for (const [at, schema] of schemas.entries()) {
    const world = worlds[at] as AppleWalletWorld;
    await callEveryOperation(await world.newAccount(), genericImages);
    await world.jobsIdle();
    await addEverySchedule(world.service, schema);
    await world.jobsIdle();
    expect((await client.query(failedSql(schema))).rows).toEqual([]);
  }
  for (const world of worlds) await world.stop();
  expect(await finalUses()).toEqual(usesBefore);
  expect(await alone(stateOfHost)).toEqual(stateBefore);
  // Proves that the check above counts even a single read.
  await alone((reader) => reader.query('SELECT FROM account'));
  expect((await finalUses()).account).not.toEqual(usesBefore.account);
});
