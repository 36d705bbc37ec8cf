import { Logger } from '@nestjs/common';
import type { Database } from '@passwright/database';
import { migratedDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import type { AppleWalletOptions } from '../apple-wallet.options.js';
import { deviceId } from './device-id.js';
import { isSecretForeign, TokenSecretCheck } from './token-secret-check.service.js';

let dataSource: DataSource;
let drop: () => Promise<unknown>;

beforeAll(async () => {
  const database = await migratedDatabase();
  drop = database.drop;
  dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
  await dataSource.query(`INSERT INTO account (id, name, created_at) VALUES ('acc', 'A', now())`);
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

async function register(secret: string, deviceLibraryIdentifier: string): Promise<void> {
  const device = { passTypeIdentifier: 'pass.a', deviceLibraryIdentifier };
  await dataSource.query(
    `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
     VALUES ('acc', $1, 'pass.a', $2, 't', now())`,
    [deviceId(secret, 'acc', device), deviceLibraryIdentifier],
  );
}

/** Returns the errors that a node with this secret logs when it starts. */
async function errorsOf(passTokenSecret: string): Promise<unknown[]> {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const database = { reads: dataSource.manager } as Database;
  await new TokenSecretCheck(database, { passTokenSecret } as AppleWalletOptions).onApplicationBootstrap();
  const messages = logged.mock.calls.map(([message]: unknown[]) => message);
  logged.mockRestore();
  return messages;
}

it('a node logs an error if most phones have registered under another secret than its own', async () => {
  expect(await isSecretForeign(dataSource.manager, 'other')).toBe(false);
  for (const name of ['one', 'two', 'three']) await register('right', name);
  await register('other', 'four');
  expect(await errorsOf('right')).toEqual([]);
  expect(await errorsOf('other')).toEqual([expect.stringMatching(/^PASS_TOKEN_SECRET is not the secret under which/)]);
});
