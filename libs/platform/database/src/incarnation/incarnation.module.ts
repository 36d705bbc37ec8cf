import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IncarnationRow, IncarnationWorkRow } from './incarnation.entity.js';
import { IncarnationOptions } from './incarnation.options.js';
import { IncarnationRepository } from './incarnation.repository.js';
import { IncarnationHandlers } from './incarnation.handlers.js';
import { Incarnations } from './incarnations.js';

/**
 * Notices that the database was restored, rolled back or promoted, and has every `IncarnationListener` act on it. Needs
 * `Database`, `Jobs` and `BlobStorage`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([IncarnationRow, IncarnationWorkRow])],
  providers: [Incarnations, IncarnationRepository, IncarnationHandlers],
  exports: [Incarnations],
})
export class IncarnationModule extends rootModule(IncarnationOptions) {}
