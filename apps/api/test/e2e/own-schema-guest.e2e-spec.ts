import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsService } from '@passwright/accounts';
import { migrate } from '@passwright/database';
import { emptyDatabase, jobsIdle, type TestDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { guestModules } from '../support/guest-modules.js';
import { createHostTables, stateOfHost } from '../support/host-tables.js';
import { templateBody } from '../support/running-service.js';

/**
 * A table of the host with the same name as one of ours. The entity names its schema, because Postgres searches ours
 * first.
 */
@Entity({ name: 'account', schema: 'public' })
class BankAccount {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'text' })
  iban!: string;
}

/** The address of the sample images of templates. */
const baseUrl = 'http://localhost:3000';
let database: TestDatabase;
let client: Client;
let app: NestExpressApplication;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'passwright guest '));
  database = await emptyDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await createHostTables(client);
  await migrate(database.url, { schema: 'guest' });
  const connection = TypeOrmModule.forRoot({
    type: 'postgres',
    url: database.url,
    entities: [BankAccount],
    autoLoadEntities: true,
    extra: { options: '-c search_path=guest,public' },
  });
  class App {}
  const imports = [connection, ...guestModules(database.url, baseUrl, dir, { schema: 'guest', runsJobs: true })];
  app = await NestFactory.create<NestExpressApplication>({ module: App, imports }, { logger: false });
  await app.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await app.close();
  await client.end();
  await database.drop();
  rmSync(dir, { recursive: true });
});

/** Calls a route of the guest. @returns the body */
async function call(method: string, path: string, token?: string, body?: object): Promise<string> {
  const { port } = app.getHttpServer().address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
  return text;
}

it("the guest issues and shows a pass over the host's connection, and changes none of its rows", async () => {
  const before = await stateOfHost(client);
  const user = { email: 'ada@example.com', password: 'a password of the test', name: 'Ada', accountName: 'Museum' };
  const { accessToken } = JSON.parse(await call('POST', '/v1/auth/register', undefined, user)) as {
    accessToken: string;
  };
  await call('POST', '/v1/webhooks', accessToken, { types: null });
  await call('POST', '/v1/templates/offer', accessToken, templateBody('offer'));
  const issued = JSON.parse(await call('POST', '/v1/pass/offer', accessToken, { id: 'ada' })) as { webUrl: string };
  expect(await call('GET', new URL(issued.webUrl).pathname)).toContain('Summer offer');
  await jobsIdle(database.url, { schema: 'guest' });
  const { rows } = await client.query('SELECT type FROM guest.webhook_event');
  expect(rows).toEqual([{ type: 'pass.created' }]);
  expect(await stateOfHost(client)).toEqual(before);
});

it('one transaction writes or rolls back rows of host and guest, even if their tables have the same name', async () => {
  const count = async () => {
    const { rows } = await client.query<{ host: number; ours: number }>(
      `SELECT (SELECT count(*)::int FROM public.account) AS host, (SELECT count(*)::int FROM guest.account) AS ours`,
    );
    return rows[0];
  };
  const before = await count();
  const work = (fails: boolean) =>
    app.get(DataSource).transaction(async (tx) => {
      await tx.insert(BankAccount, { iban: 'GB29' });
      await app.get(AccountsService).create(tx, { name: 'Joint' });
      if (fails) throw new Error('rolled back');
    });
  await expect(work(true)).rejects.toThrow('rolled back');
  expect(await count()).toEqual(before);
  await work(false);
  expect(await count()).toEqual({ host: (before?.host ?? 0) + 1, ours: (before?.ours ?? 0) + 1 });
});
