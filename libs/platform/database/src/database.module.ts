import { type DynamicModule, Module } from '@nestjs/common';
import { rootModule, type RootModuleAsyncOptions } from '@passwright/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { dataSourceTo } from './connections/data-source-options.js';
import { Database } from './database.js';
import { isDistributed } from './distribution/is-distributed.js';
import { DatabaseOptions } from './database.options.js';
import { CONNECT_MS, serviceClient, STATEMENT_MS } from './connections/service-client.js';
import { Replica } from './replica/replica.js';
import { requireSchema } from './schema/own-schema.js';
import { checkedSchemaName, serviceName } from './connections/schema-names.js';
import { SnakeNaming } from './snake-naming.js';

/** Creates the connection. Only `forRoot` calls it, because an app with its own connection imports this package too. */
const connection = () =>
  TypeOrmModule.forRootAsync({
    inject: [DatabaseOptions],
    useFactory: ({
      url,
      poolSize,
      statementMs = STATEMENT_MS,
      pooled = false,
      preparedStatements = true,
      schema,
    }: DatabaseOptions) => ({
      ...dataSourceTo(
        url,
        serviceClient(statementMs, { pooled, preparedStatements, schema: checkedSchemaName(schema) }),
      ),
      poolSize,
      namingStrategy: new SnakeNaming(),
      autoLoadEntities: true,
      // Do not retry silently: the app should start quickly or fail with the reason.
      retryAttempts: 0,
      connectTimeoutMS: CONNECT_MS,
      applicationName: serviceName(schema ?? null),
      verboseRetryLog: false,
    }),
  });

/** Connects to Postgres and provides `Database`. Entities come from each lib's `TypeOrmModule.forFeature`. */
@Module({
  providers: [
    {
      provide: Database,
      inject: [DataSource, Replica, DatabaseOptions],
      useFactory: async (source: DataSource, replica: Replica | null, { schema }: DatabaseOptions) => {
        if (schema) await requireSchema(source, schema, `Set search_path = "${schema}" for their role.`);
        return new Database(source, replica, schema ?? null, await isDistributed(source, schema ?? null));
      },
    },
    {
      provide: Replica,
      inject: [DataSource, DatabaseOptions],
      useFactory: (primary: DataSource, { replicaUrl, ...options }: DatabaseOptions) =>
        replicaUrl ? new Replica(primary, { ...options, replicaUrl }) : null,
    },
  ],
  exports: [Database],
})
export class DatabaseModule extends rootModule(DatabaseOptions) {
  static override forRoot(options: DatabaseOptions & { readonly routes?: boolean }): DynamicModule {
    return { ...super.forRoot(options), imports: [connection()] };
  }

  static override forRootAsync(options: RootModuleAsyncOptions<DatabaseOptions>): DynamicModule {
    return { ...super.forRootAsync(options), imports: [...(options.imports ?? []), connection()] };
  }
}
