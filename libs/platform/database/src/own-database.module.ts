import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { DataSource } from 'typeorm';
import { noteErrorsOf, type NotablePool } from './connections/noted-pool.js';
import { Database } from './database.js';
import { OwnDatabaseOptions } from './own-database.options.js';

/** The app's connection names columns differently from our tables. The message names the setting to change. */
export class NamingStrategyMissing extends Error {
  constructor() {
    super(
      'The columns of Passwright are named by SnakeNaming: set `namingStrategy: new SnakeNaming()` of ' +
        '@passwright/database in the TypeOrmModule.forRoot of this app.',
    );
    this.name = 'NamingStrategyMissing';
  }
}

/**
 * Provides `Database` over the connection of the app's own `TypeOrmModule.forRoot`, in place of `DatabaseModule`. The
 * connection needs Postgres, `autoLoadEntities` and `SnakeNaming`. The lib and the app share transactions.
 * @throws NamingStrategyMissing at the start
 */
@Module({
  providers: [
    {
      provide: Database,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => {
        const { namingStrategy } = dataSource;
        if (namingStrategy.columnName('createdAt', undefined, []) !== 'created_at') throw new NamingStrategyMissing();
        noteErrorsOf((dataSource.driver as DataSource['driver'] & { master: NotablePool }).master);
        return new Database(dataSource);
      },
    },
  ],
  exports: [Database],
})
export class OwnDatabaseModule extends rootModule(OwnDatabaseOptions) {}
