import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { JobRunner } from './job-runner.js';
import { JobsOptions } from './jobs.options.js';

/** Timed work in the same Postgres (graphile-worker): what `@Scheduled` methods ask for, once over all nodes. */
@Module({ imports: [DiscoveryModule], providers: [JobRunner] })
export class JobsModule extends rootModule(JobsOptions) {}
