import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { CertificateChanges } from './certificate-changes.js';
import { ImageHold } from './image-hold.entity.js';
import { ImageHoldsRepository } from './image-holds.repository.js';
import { ImageHolds } from './image-holds.js';
import { ImageProcessing } from './image-processing.js';
import { ImageRequests } from './image-requests.js';
import { ImageSource } from './image-source.js';
import { ImageUsage } from './image-usage.entity.js';
import { ImageSweeper } from './image-sweeper.js';
import { ImagesController } from './images.controller.js';
import { Previews } from './preview/previews.service.js';
import { TemplatePreviewController } from './preview/template-preview.controller.js';
import { RemoteImage } from './remote-image.js';
import { StoredImage } from './stored-image.entity.js';
import { StoredImagesRepository } from './stored-images.repository.js';
import { TemplateAccountData } from './template-account-data.js';
import { TemplateImagesController } from './template-images.controller.js';
import { TemplateImagesService } from './template-images.service.js';
import { TemplateLintController } from './template-lint.controller.js';
import { TemplateLint } from './template-lint.service.js';
import { Template } from './template.entity.js';
import { TemplatesController } from './templates.controller.js';
import { TemplatesOptions } from './templates.options.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';
import { UploadMemory } from './upload-memory.js';

/** Templates and their images. Needs `BlobStorage`, `Clock`, `Database`, `Jobs` and `AccountsService`. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([Template, ImageHold, StoredImage, ImageUsage])],
  providers: [
    TemplatesService,
    TemplatesRepository,
    TemplateImagesService,
    TemplateLint,
    CertificateChanges,
    ...[ImageHolds, ImageHoldsRepository, ImageSweeper],
    StoredImagesRepository,
    ...[ImageRequests, ImageProcessing, UploadMemory],
    TemplateAccountData,
    ImageSource,
    RemoteImage,
    Previews,
  ],
  exports: [TemplatesService, TemplateImagesService, ImageSweeper, TemplateLint, Previews],
})
export class TemplatesModule extends rootModule(TemplatesOptions, [
  TemplatesController,
  TemplateImagesController,
  TemplateLintController,
  TemplatePreviewController,
  ImagesController,
]) {}
