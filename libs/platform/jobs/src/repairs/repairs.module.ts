import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { IncarnationRepairsListener } from './incarnation-repairs.listener.js';
import { IncarnationWorkRow } from './incarnation-work.entity.js';
import { IncarnationWorkRepository } from './incarnation-work.repository.js';
import { IncarnationHandlers } from './incarnation.handlers.js';
import { RepairsOptions } from './repairs.options.js';

/**
 * Runs every `IncarnationListener` after the database was restored, rolled back or promoted, which `IncarnationModule`
 * detects. Needs `Database` and `Jobs`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([IncarnationWorkRow])],
  providers: [IncarnationRepairsListener, IncarnationWorkRepository, IncarnationHandlers],
})
export class RepairsModule extends rootModule(RepairsOptions) {}
