import dns from 'node:dns';
import { testDatabase } from '@passwright/testing';
import type { Client } from 'pg';
import { serviceClient } from './service-client.js';

let url: string;
const opened: Client[] = [];
beforeAll(async () => {
  url = Object.assign(new URL((await testDatabase()).url), { hostname: 'localhost' }).href;
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(opened.splice(0).map((client) => client.end()));
});

async function connected(): Promise<Client> {
  const client = new (serviceClient(0))(url);
  await client.connect();
  opened.push(client);
  return client;
}

it('connections that open simultaneously share one look-up of their host name', async () => {
  const lookup = jest.spyOn(dns, 'lookup');
  const clients = await Promise.all(Array.from({ length: 6 }, connected));
  expect(lookup).toHaveBeenCalledTimes(1);
  const rows = await Promise.all(clients.map((client) => client.query('SELECT 1 AS one')));
  expect(rows.map(({ rowCount }) => rowCount)).toEqual(new Array(6).fill(1));
});

it('a later connection looks its host name up again, because the address may have changed', async () => {
  const lookup = jest.spyOn(dns, 'lookup');
  await connected();
  await connected();
  expect(lookup).toHaveBeenCalledTimes(2);
});

it('all connections that wait for a failed look-up fail, and the next one tries again', async () => {
  const lookup = jest.spyOn(dns, 'lookup');
  const failed = Object.assign(new Error('getaddrinfo EAI_AGAIN localhost'), { code: 'EAI_AGAIN' });
  lookup.mockImplementationOnce(((_host: string, _options: object, found: (error: Error) => void) =>
    process.nextTick(found, failed)) as never);
  const outcomes = await Promise.allSettled([connected(), connected()]);
  expect(outcomes).toMatchObject(new Array(2).fill({ status: 'rejected', reason: { code: 'EAI_AGAIN' } }));
  await expect(connected()).resolves.toBeDefined();
  expect(lookup).toHaveBeenCalledTimes(2);
});
