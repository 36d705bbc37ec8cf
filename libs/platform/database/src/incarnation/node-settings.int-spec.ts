import { Logger } from '@nestjs/common';
import { lockWaitsSql, migratedDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Database } from '../database.js';
import { differingSettings, NodeSettings } from './node-settings.service.js';

let dataSource: DataSource;
let drop: () => Promise<unknown>;

beforeAll(async () => {
  const database = await migratedDatabase();
  drop = database.drop;
  dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 4 }).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

const start = (settings: Record<string, string>, watch?: boolean) =>
  new NodeSettings(new Database(dataSource), { settings, watch }).onApplicationBootstrap();

/** Starts nodes. @returns the warnings that they log */
async function warningsWhile(starting: () => Promise<unknown>): Promise<unknown[]> {
  const logged = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  await starting();
  const messages = logged.mock.calls.map(([message]: unknown[]) => message);
  logged.mockRestore();
  return messages;
}

const warningsOf = (settings: Record<string, string>, watch?: boolean) => warningsWhile(() => start(settings, watch));

it('a node warns if it starts with another setting than the node that started last', async () => {
  const [first, second] = [
    { ACCESS_TOKEN_SECRET: 'a', BASE_URL: 'https://passes.example.com' },
    { ACCESS_TOKEN_SECRET: 'b', BASE_URL: 'https://passes.example.com' },
  ];
  expect(await warningsOf(first)).toEqual([]);
  expect(await warningsOf(first)).toEqual([]);
  expect(await differingSettings(dataSource.manager, second)).toEqual(['ACCESS_TOKEN_SECRET']);
  expect(await warningsOf(second, false)).toEqual([]);
  expect(await warningsOf(second)).toEqual([expect.stringMatching(/^ACCESS_TOKEN_SECRET differs from the node/)]);
  expect(await warningsOf(second)).toEqual([]);
  expect(await warningsOf({ ...second, BASE_URL: 'https://other.example.com' })).toEqual([
    expect.stringMatching(/^BASE_URL differs from the node/),
  ]);
});

it('a node compares only the settings that an earlier node has recorded', async () => {
  expect(await warningsOf({ NEW_SETTING: '1' })).toEqual([]);
  expect(await differingSettings(dataSource.manager, { NEW_SETTING: '2' })).toEqual(['NEW_SETTING']);
});

it('one of two nodes warns if they start at the same time with different settings', async () => {
  const warnings = await warningsWhile(async () => {
    let starts: Promise<void>[] = [];
    await dataSource.transaction(async (tx) => {
      await tx.query('SELECT FROM incarnation FOR UPDATE');
      starts = ['a', 'b'].map((value) => start({ AT_ONCE: value }));
      while ((await dataSource.query<unknown[]>(lockWaitsSql)).length < starts.length);
    });
    await Promise.all(starts);
  });
  expect(warnings).toEqual([expect.stringMatching(/^AT_ONCE differs from the node that started last\. /)]);
});
