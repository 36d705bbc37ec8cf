import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { DataSource } from 'typeorm';
import { noteErrorsOf, type NotablePool } from './connections/noted-pool.js';
import { Database } from './database.js';
import { OwnDatabaseOptions } from './own-database.options.js';

/**
 * Provides `Database` over the connection of the app's own `TypeOrmModule.forRoot`, in place of `DatabaseModule`. The
 * connection needs Postgres and `autoLoadEntities`, and may have any naming strategy: our entities name their columns.
 * The lib and the app share transactions.
 */
@Module({
  providers: [
    {
      provide: Database,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => {
        noteErrorsOf((dataSource.driver as DataSource['driver'] & { master: NotablePool }).master);
        return new Database(dataSource);
      },
    },
  ],
  exports: [Database],
})
export class OwnDatabaseModule extends rootModule(OwnDatabaseOptions) {}
