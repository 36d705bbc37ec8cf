import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IncarnationRow } from './incarnation.entity.js';
import { IncarnationOptions } from './incarnation.options.js';
import { IncarnationRepository } from './incarnation.repository.js';
import { IncarnationsService } from './incarnations.service.js';
import { NodeSettings } from './node-settings.service.js';

/**
 * Detects a restored, rolled back or promoted database and calls every `IncarnationBeganListener`. Needs `Database` and
 * `BlobStorage`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([IncarnationRow])],
  providers: [IncarnationsService, IncarnationRepository, NodeSettings],
  exports: [IncarnationsService],
})
export class IncarnationModule extends rootModule(IncarnationOptions) {}
