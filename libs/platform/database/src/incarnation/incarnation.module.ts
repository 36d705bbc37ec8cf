import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IncarnationRow } from './incarnation.entity.js';
import { IncarnationOptions } from './incarnation.options.js';
import { IncarnationRepository } from './incarnation.repository.js';
import { IncarnationsService } from './incarnations.service.js';

/**
 * Notices that the database was restored, rolled back or promoted, and tells every `IncarnationBeganListener`.
 * Needs `Database` and `BlobStorage`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([IncarnationRow])],
  providers: [IncarnationsService, IncarnationRepository],
  exports: [IncarnationsService],
})
export class IncarnationModule extends rootModule(IncarnationOptions) {}
