export { Database } from './database.js';
export type { NamedStatement, PoolUse } from './pool-types.js';
export type { InsertCondition } from './implicit-transactions.js';
export { SharedTransactions } from './shared-transactions.js';
export { runWithNext } from './connections/run-with-next.js';
export { DatabaseModule } from './database.module.js';
export { DatabaseOptions } from './database.options.js';
export { deleteInBatches, deleteSome } from './delete-in-batches.js';
export { CLOCK_OFF_AT_MOST_MS, DatabaseClock } from './clock/database-clock.js';
export { DatabaseClockModule } from './clock/database-clock.module.js';
export { databaseTime } from './clock/database-time.js';
export {
  distribute,
  type DistributeOptions,
  type Distribution,
  DistributionFailed,
} from './distribution/distribute.js';
export { lockedPage, lockedPageOf, lockedRows } from './distribution/locked-page.js';
export { firstAccountOfJson, inAccount, inAllAccounts, perAccount } from './distribution/per-account.js';
export { IncarnationBeganListener } from './incarnation/incarnation-began.listener.js';
export { IncarnationModule } from './incarnation/incarnation.module.js';
export { IncarnationOptions } from './incarnation/incarnation.options.js';
export { differingSettings } from './incarnation/node-settings.service.js';
export { IncarnationsService } from './incarnation/incarnations.service.js';
export { noteLostFuture, noteLostFutureElsewhere, type HandedOutSnapshot } from './incarnation/lost-snapshot.js';
export { pullAllBack, pullBack, type WaitingTimes } from './clock-repair.js';
export { maintainPartitions } from './partitions/partitions.js';
export type { PartitionedTable } from './partitions/partitioned-table.js';
export { migrate, migrateJobs, type MigrateOptions, type SchemaOptions } from './migrate.js';
export { isTransactionConflict, repeatedOnRejectedName, repeatedRead } from './transaction-retries.js';
export { queueTables, type QueueTables } from './schema/queue-tables.js';
export { queueClient } from './schema/schema-client.js';
export { queueSchemaOf, schemaNameProblem, searchPathSql, serviceName } from './connections/schema-names.js';
export { emptySchemasSql, markRestoredSql } from './restore.js';
export { migrations } from './migrations/index.js';
export { OwnDatabaseModule } from './own-database.module.js';
export { OwnDatabaseOptions } from './own-database.options.js';
export { type ConnectionMode, inspectConnection, type ConnectionReport } from './connections/inspect-connection.js';
export { primaryUrl, serverUrls } from './connections/primary.js';
export { SeveralPrimaries } from './connections/newest-primary.js';
export { findRivals, type Rival } from './connections/rival-primaries.js';
export { dataSourceTo } from './connections/data-source-options.js';
export { CONNECT_MS, serviceClient, type ServiceClientOptions } from './connections/service-client.js';
export { SnakeNaming } from './snake-naming.js';
export {
  databaseError,
  DatabaseRejected,
  isDatabaseUnavailable,
  isStatementTimeout,
} from './connections/temporary-errors.js';
export { textArray } from './statements/text-array.js';
export { isForeignKeyViolation, isUniqueViolation } from './unique-violation.js';
