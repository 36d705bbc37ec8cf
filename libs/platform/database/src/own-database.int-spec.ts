import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { testDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { DatabaseModule } from './database.module.js';
import { Database } from './database.js';
import { OwnDatabaseModule } from './own-database.module.js';
import { isDatabaseUnavailable } from './connections/temporary-errors.js';

describe('OwnDatabaseModule', () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await testDatabase());
  });

  /** Starts an app whose connection has the naming strategy that TypeORM has by default. */
  const start = () => {
    @Module({
      imports: [TypeOrmModule.forRoot({ type: 'postgres', url, retryAttempts: 0 }), OwnDatabaseModule.forRoot({})],
    })
    class App {}
    return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  };

  it("OwnDatabaseModule uses the app's own connection", async () => {
    const app = await start();
    await expect(app.get(Database).proveWritable()).resolves.toBeUndefined();
    await app.close();
  });

  it("OwnDatabaseModule recognises that the app's own connection cannot reach the database", async () => {
    const app = await start();
    const database = app.get(Database);
    const { master: pool } = app.get(DataSource).driver as unknown as { master: { options: object } };
    const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);
    const cut = `SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(1)`;
    const failures: unknown[] = [await failureOf(database.lookUp('cut', cut, []))];
    Object.assign(pool.options, { connectionString: Object.assign(new URL(url), { port: '1' }).href });
    failures.push(await failureOf(database.transaction(() => Promise.resolve())), await failureOf(database.now()));
    expect(failures.map(isDatabaseUnavailable)).toEqual([true, true, true]);
    expect(failures.at(-1)).toMatchObject({ code: 'ECONNREFUSED' });
    await app.close();
  });

  it('the app opens no second connection when DatabaseModule is imported but not used', () => {
    // @nestjs/typeorm 12 and later warn about a second connection as soon as a module declares it.
    expect(Reflect.getMetadata('imports', DatabaseModule)).toBeUndefined();
    expect(DatabaseModule.forRoot({ url, poolSize: 1 }).imports).toHaveLength(1);
  });
});
