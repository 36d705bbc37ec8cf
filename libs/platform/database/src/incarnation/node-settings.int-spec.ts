import { Logger } from '@nestjs/common';
import { emptyDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { Database } from '../database.js';
import { migrate } from '../migrate.js';
import { differingSettings, NodeSettings } from './node-settings.service.js';

let dataSource: DataSource;
let drop: () => Promise<unknown>;

beforeAll(async () => {
  const database = await emptyDatabase();
  drop = database.drop;
  await migrate(database.url);
  dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

/** Starts a node with these settings. @returns the warnings that it logs */
async function warningsOf(settings: Record<string, string>, watch = true): Promise<unknown[]> {
  const logged = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
  await new NodeSettings(new Database(dataSource), { settings, watch }).onApplicationBootstrap();
  const messages = logged.mock.calls.map(([message]: unknown[]) => message);
  logged.mockRestore();
  return messages;
}

it('a node warns if it starts with another setting than the node that started last', async () => {
  const [first, second] = [
    { ACCESS_TOKEN_SECRET: 'a', BASE_URL: 'https://passes.example.com' },
    { ACCESS_TOKEN_SECRET: 'b', BASE_URL: 'https://passes.example.com' },
  ];
  expect(await warningsOf(first)).toEqual([]);
  expect(await warningsOf(first)).toEqual([]);
  expect(await differingSettings(dataSource.manager, second)).toEqual(['ACCESS_TOKEN_SECRET']);
  expect(await warningsOf(second, false)).toEqual([]);
  expect(await warningsOf(second)).toEqual([expect.stringMatching(/^ACCESS_TOKEN_SECRET is not that of the node/)]);
  expect(await warningsOf(second)).toEqual([]);
  expect(await warningsOf({ ...second, BASE_URL: 'https://other.example.com' })).toEqual([
    expect.stringMatching(/^BASE_URL is not that of the node/),
  ]);
});

it('a node compares only the settings that an earlier node has recorded', async () => {
  expect(await warningsOf({ NEW_SETTING: '1' })).toEqual([]);
  expect(await differingSettings(dataSource.manager, { NEW_SETTING: '2' })).toEqual(['NEW_SETTING']);
});
