import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { testDatabase } from '@passwright/testing';
import { DataSource, type DataSourceOptions, DefaultNamingStrategy } from 'typeorm';
import { DatabaseModule } from './database.module.js';
import { Database } from './database.js';
import { NamingStrategyMissing, OwnDatabaseModule } from './own-database.module.js';
import { SnakeNaming } from './snake-naming.js';
import { isDatabaseUnavailable } from './connections/temporary-errors.js';

describe('OwnDatabaseModule', () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await testDatabase());
  });

  const connections: DataSource[] = [];
  // After a failed start the process would end and close the connection; here the test closes it.
  afterAll(() => Promise.all(connections.filter((each) => each.isInitialized).map((each) => each.destroy())));

  const start = (namingStrategy: DataSourceOptions['namingStrategy']) => {
    const useFactory = () => ({ type: 'postgres' as const, url, namingStrategy, retryAttempts: 0 });
    const dataSourceFactory = async () => {
      const connection = await new DataSource({ type: 'postgres', url, namingStrategy }).initialize();
      connections.push(connection);
      return connection;
    };
    @Module({
      imports: [TypeOrmModule.forRootAsync({ useFactory, dataSourceFactory }), OwnDatabaseModule.forRoot({})],
    })
    class App {}
    return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  };

  it("OwnDatabaseModule uses the app's own connection", async () => {
    const app = await start(new SnakeNaming());
    await expect(app.get(Database).proveWritable()).resolves.toBeUndefined();
    await app.close();
  });

  it("OwnDatabaseModule recognises that the app's own connection cannot reach the database", async () => {
    const app = await start(new SnakeNaming());
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

  it('opens no second connection when DatabaseModule is imported but not used', () => {
    // @nestjs/typeorm 12 and later warn about a second connection as soon as a module declares it.
    expect(Reflect.getMetadata('imports', DatabaseModule)).toBeUndefined();
    expect(DatabaseModule.forRoot({ url, poolSize: 1 }).imports).toHaveLength(1);
  });

  it('the start fails if the connection uses another naming strategy, and the error names the setting', async () => {
    await expect(start(new DefaultNamingStrategy())).rejects.toThrow(NamingStrategyMissing);
  });
});
