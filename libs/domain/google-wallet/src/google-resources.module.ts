import { Module } from '@nestjs/common';
import { ChangedResourcesRepository } from './sync/changed-resources.repository.js';
import { GoogleResourcesRepository } from './sync/google-resources.repository.js';

const repositories = [GoogleResourcesRepository, ChangedResourcesRepository];

/** Stores the state of the resources at Google, and marks those that have changed. */
@Module({ providers: repositories, exports: repositories })
export class GoogleResourcesModule {}
