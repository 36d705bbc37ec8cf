import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import {
  DebianPostgres,
  debianPrograms,
  hasPgBouncer,
  keepsPreparedStatements,
  PgBouncer,
  testDatabase,
} from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Database } from '../database.js';
import { serviceClient } from './service-client.js';

let dataSource: DataSource;
let database: Database;
beforeAll(async () => {
  const { url } = await testDatabase();
  const extra = { Client: serviceClient(30_000) };
  dataSource = await new DataSource({ type: 'postgres', url, poolSize: 1, extra }).initialize();
  database = new Database(dataSource);
});
afterAll(() => dataSource.destroy());

const pool = () => (dataSource.driver as DataSource['driver'] & { master: EventEmitter }).master;
const lookUp = (n: number) => database.lookUp<{ n: number }>('lost', 'SELECT $1::int AS n', [n]);

it('look-ups run again if their connection fails between the moment the pool lends it and the first statement', async () => {
  await lookUp(0);
  let wasCut = false;
  pool().once('acquire', (client: { connection: { stream: Socket } }) => {
    wasCut = true;
    client.connection.stream.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  });
  expect(await Promise.all([lookUp(1), lookUp(2)])).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  expect(wasCut).toBe(true);
});

it('a look-up runs again if the server has just ended its idle connection', async () => {
  const lookUpPid = () => database.lookUp<{ pid: number }>('pid', 'SELECT pg_backend_pid() AS pid', []);
  const before = await lookUpPid();
  await dataSource.query('SET idle_session_timeout = 50');
  // Block the event loop, so that the process sends the statement before it reads the end of the connection.
  const until = performance.now() + 500;
  while (performance.now() < until);
  const after = await lookUpPid();
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
});

(debianPrograms() && hasPgBouncer() && keepsPreparedStatements() ? it : it.skip)(
  'look-ups run again if PgBouncer rejects their name because the server could not parse the statement before',
  async () => {
    const server = await DebianPostgres.startCopy('empty');
    const pooler = await PgBouncer.start(server, { pool_mode: 'transaction', max_prepared_statements: 200 });
    const extra = { Client: serviceClient(30_000, { pooled: true }) };
    const pooled = await new DataSource({ type: 'postgres', url: pooler.url, poolSize: 1, extra }).initialize();
    try {
      const database = new Database(pooled);
      const read = () => database.lookUp('late', 'SELECT n FROM late_table WHERE n = $1', [1]);
      const missing = { status: 'rejected', reason: { code: '42P01' } };
      expect(await Promise.allSettled([read(), read()])).toMatchObject([missing, missing]);
      await pooled.query('CREATE TABLE late_table (n int)');
      expect(await Promise.all([read(), read()])).toEqual([[], []]);
    } finally {
      await pooled.destroy();
      await pooler.stop();
      server.remove();
    }
  },
);
