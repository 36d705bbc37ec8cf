import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { ImageGarbageCollector } from './garbage/image-garbage-collector.service.js';
import { ImageGarbageCron } from './garbage/image-garbage.cron.js';
import { ImageGarbageHandlers } from './garbage/image-garbage.handlers.js';
import { ImagesOptions } from './images.options.js';
import { DraftImages } from './images/draft-images.service.js';
import { ImageInspector } from './images/image-inspector.service.js';
import { ImageAccountData } from './images/image-account-data.service.js';
import { ImagesService } from './images/images.service.js';
import { ImageLease } from './leases/image-lease.entity.js';
import { ImageLeasesRepository } from './leases/image-leases.repository.js';
import { ImageLeases } from './leases/image-leases.service.js';
import { ImageProcessing } from './processing/image-processing.service.js';
import { ImageRequests } from './sources/image-requests.service.js';
import { ImageSource } from './sources/image-source.service.js';
import { RemoteImage } from './sources/remote-image.service.js';
import { ImageUsage } from './storage/image-usage.entity.js';
import { ImagesController } from './storage/images.controller.js';
import { StorageOverviewListener } from './storage/storage-overview.listener.js';
import { StoredImage } from './storage/stored-image.entity.js';
import { StoredImagesRepository } from './storage/stored-images.repository.js';
import { UploadMemory } from './uploads/upload-memory.service.js';

/** Images of templates and passes. Needs `BlobStorage`, `Clock`, `Database`, `Jobs` and `AccountsModule`. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([ImageLease, StoredImage, ImageUsage])],
  providers: [
    ImagesService,
    ...[DraftImages, ImageInspector],
    ImageAccountData,
    ...[StoredImagesRepository, StorageOverviewListener],
    ...[ImageSource, RemoteImage, ImageRequests, ImageProcessing],
    ...[ImageLeases, ImageLeasesRepository],
    ...[ImageGarbageCollector, ImageGarbageHandlers, ImageGarbageCron],
    UploadMemory,
  ],
  exports: [ImagesService, DraftImages, ImageInspector, ImageGarbageCollector, UploadMemory],
})
export class ImagesModule extends rootModule(ImagesOptions, [ImagesController]) {}
