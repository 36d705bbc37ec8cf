export { Database, type PoolUse, runWithNext } from './database.js';
export { DatabaseModule } from './database.module.js';
export { DatabaseOptions } from './database.options.js';
export { deleteInBatches, deleteSome } from './delete-in-batches.js';
export { IncarnationListener, type IncarnationStep } from './incarnation/incarnation-listener.js';
export { noteLostFuture } from './incarnation/lost-future.js';
export { IncarnationModule } from './incarnation/incarnation.module.js';
export { IncarnationOptions } from './incarnation/incarnation.options.js';
export { Incarnations } from './incarnation/incarnations.js';
export { CLOCK_OFF_AT_MOST_MS, DatabaseClock } from './clock/database-clock.js';
export { DatabaseClockModule } from './clock/database-clock.module.js';

export { Job, type JobClass, type JobContext } from './jobs/job.js';
export { JobHandler } from './jobs/job-handler.decorator.js';
export { Jobs } from './jobs/jobs.js';
export type { QueueCounts } from './jobs/queue.js';
export type { JobSetAside } from './jobs/set-aside.js';
export { CLAIMS_GIVEN_BACK, isSuspect, SUSPECT_PAUSE_MS } from './jobs/suspect-jobs.js';
export { SuspectWork } from './jobs/suspect-work.js';
export { JobsModule } from './jobs/jobs.module.js';
export { JobsOptions } from './jobs/jobs.options.js';
export { pullAllBack, pullBack, type WaitingTimes } from './pull-back.js';
export { maintainPartitions } from './partitions/partitions.js';
export type { PartitionedTable } from './partitions/partitioned-table.js';
export { Scheduled, type Schedule } from './jobs/scheduled.decorator.js';
export {
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded/embedded-postgres.js';
export { EmbeddedPostgresFailed } from './embedded/embedded-postgres-failed.js';
export { migrate, migrateJobs } from './migrate.js';
export { repeatedRead } from './repeated.js';
export { emptySchemasSql, markRestoredSql } from './restore.js';
export { migrations } from './migrations/index.js';
export { NamingStrategyMissing, OwnDatabaseModule } from './own-database.module.js';
export { OwnDatabaseOptions } from './own-database.options.js';
export { serviceClient } from './service-client.js';
export { SnakeNaming } from './snake-naming.js';
export { databaseFault, DatabaseRefused, isDatabaseUnavailable } from './unavailable.js';
export { isForeignKeyViolation, isUniqueViolation } from './unique-violation.js';
