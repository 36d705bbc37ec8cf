import { NestFactory } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { testDatabase } from '@passwright/testing';
import { types } from 'pg';
import { DataSource, DefaultNamingStrategy } from 'typeorm';
import { DatabaseModule } from './database.module.js';
import { Database } from './database.js';
import { OwnDatabaseModule } from './own-database.module.js';
import { isDatabaseUnavailable } from './connections/temporary-errors.js';

describe('OwnDatabaseModule', () => {
  let url: string;
  beforeAll(async () => {
    ({ url } = await testDatabase());
  });

  /** Starts an app whose connection has TypeORM's default naming strategy. */
  const start = (options: object = {}) => {
    const connection = TypeOrmModule.forRoot({ type: 'postgres', url, retryAttempts: 0, ...options });
    @Module({ imports: [connection, OwnDatabaseModule.forRoot({})] })
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

  class Prefixes extends DefaultNamingStrategy {
    override tableName(name: string, given?: string): string {
      return `app_${super.tableName(name, given)}`;
    }
  }
  class CamelCase extends DefaultNamingStrategy {
    override columnName(property: string): string {
      return property;
    }
  }

  it.each<[string, object, RegExp]>([
    ['option schema', { schema: 'app' }, /in the schema "app" \(option "schema".*"public".*search_path=app,public/],
    ['option entityPrefix', { entityPrefix: 'app_' }, /would call our table account app_account.*"entityPrefix"/],
    ['naming strategy of tables', { namingStrategy: new Prefixes() }, /would call our table account app_account/],
    ['naming strategy of columns', { namingStrategy: new CamelCase() }, /would call our column created_at createdAt/],
  ])(
    "an app does not start if its connection's %s changes the names of Passwright's tables",
    async (_, options, message) => {
      // Let idle connections end at once, because nothing closes the connections of an app that has not started.
      await expect(start({ ...options, extra: { idleTimeoutMillis: 1 } })).rejects.toThrow(message);
    },
  );

  it("an app starts if its option `schema` names the connection's own schema", async () => {
    const app = await start({ schema: 'public' });
    await expect(app.get(Database).proveWritable()).resolves.toBeUndefined();
    await app.close();
  });

  it('an app does not start if its connection returns timestamps as text, and the error recommends DatabaseModule', async () => {
    const { TIMESTAMPTZ, INT8 } = types.builtins;
    const before = [TIMESTAMPTZ, INT8].map((oid) => [oid, types.getTypeParser(oid)] as const);
    try {
      types.setTypeParser(INT8, Number);
      const app = await start();
      await app.close();
      types.setTypeParser(TIMESTAMPTZ, (text) => text);
      await expect(start({ extra: { idleTimeoutMillis: 1 } })).rejects.toThrow(
        /returns timestamps as text.*types\.setTypeParser.*DatabaseModule/,
      );
    } finally {
      for (const [oid, parse] of before) types.setTypeParser(oid, parse);
    }
  });

  it('DatabaseModule declares a connection only in forRoot, not when it is merely imported', () => {
    // @nestjs/typeorm 12 and later warn about a second connection as soon as a module declares it.
    expect(Reflect.getMetadata('imports', DatabaseModule)).toBeUndefined();
    expect(DatabaseModule.forRoot({ url, poolSize: 1 }).imports).toHaveLength(1);
  });
});
