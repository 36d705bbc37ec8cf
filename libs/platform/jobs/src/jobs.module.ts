import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { JobHandlers } from './job-handlers.js';
import { JobRunner } from './job-runner.js';
import { Jobs } from './jobs.js';
import { JobsOptions } from './jobs.options.js';

/**
 * Work in the background, queued in the same Postgres (graphile-worker): what `@JobHandler` methods do after a commit and
 * `@Scheduled` methods at their times, once over all nodes.
 */
@Module({ imports: [DiscoveryModule], providers: [Jobs, JobHandlers, JobRunner], exports: [Jobs] })
export class JobsModule extends rootModule(JobsOptions) {}
