import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { DataSource } from 'typeorm';
import { noteErrorsOf, type NotablePool } from './connections/pool-errors.js';
import { Database } from './database.js';
import { isDistributed } from './distribution/is-distributed.js';
import { OwnDatabaseOptions } from './own-database.options.js';
import { requireOneSchema, requireOurNames, requireOurValues } from './schema/host-connection.js';
import { rejectOwnHistory, requireSchema } from './schema/own-schema.js';
import { checkedSchemaName } from './connections/schema-names.js';

const pathOption = (schema: string) => `extra: { options: '-c search_path=${schema},public' }`;

/**
 * Provides `Database` over the app's own TypeORM connection, in place of `DatabaseModule`, so that the lib and the app
 * share transactions. The connection needs Postgres and `autoLoadEntities`. Its naming strategy must keep the names of
 * our tables and columns. Rejects a connection that does not see our tables.
 */
@Module({
  providers: [
    {
      provide: Database,
      inject: [DataSource, OwnDatabaseOptions],
      useFactory: async (dataSource: DataSource, options: OwnDatabaseOptions) => {
        noteErrorsOf((dataSource.driver as DataSource['driver'] & { master: NotablePool }).master);
        requireOurNames(dataSource);
        await requireOurValues(dataSource);
        const schema = checkedSchemaName(options.schema);
        if (schema === null) await requireOneSchema(dataSource);
        else {
          rejectOwnHistory(dataSource, schema);
          await requireSchema(dataSource, schema, `Give the app's connection ${pathOption(schema)}.`);
        }
        return new Database(dataSource, null, schema, await isDistributed(dataSource, schema));
      },
    },
  ],
  exports: [Database],
})
export class OwnDatabaseModule extends rootModule(OwnDatabaseOptions) {}
