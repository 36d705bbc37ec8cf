import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { Claimant } from './outbound/claimant.service.js';
import { JobOutboxCron } from './job-outbox.cron.js';
import { JobDiscoveryService } from './job-discovery.service.js';
import { JobRunnerService } from './job-runner.service.js';
import { Jobs } from './jobs.js';
import { JobsOptions } from './jobs.options.js';

/**
 * Runs background work, queued in the same Postgres (graphile-worker): `@JobHandler` methods after a commit, and
 * `@Scheduled` methods on schedule, once over all nodes.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [Jobs, Claimant, JobDiscoveryService, JobRunnerService, JobOutboxCron],
  exports: [Jobs, Claimant],
})
export class JobsModule extends rootModule(JobsOptions) {}
