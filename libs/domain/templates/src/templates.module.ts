import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { CertificateChangesHandlers } from './templates/certificate-changes.handlers.js';
import { DraftPreviewController } from './preview/draft-preview.controller.js';
import { DraftPreviews } from './preview/draft-previews.service.js';
import { StoredPreviewImages } from './preview/stored-preview-images.service.js';
import { Previews } from './preview/previews.service.js';
import { TemplatePreviewController } from './preview/template-preview.controller.js';
import { TemplateAccountData } from './templates/template-account-data.service.js';
import { TemplateImageListener } from './images/template-image.listener.js';
import { TemplateImagesController } from './images/template-images.controller.js';
import { TemplateLintController } from './lint/template-lint.controller.js';
import { TemplateImageFacts } from './lint/template-image-facts.service.js';
import { TemplateLint } from './lint/template-lint.service.js';
import { Template } from './templates/template.entity.js';
import { TemplateUsageListener } from './templates/template-usage.listener.js';
import { TemplatesController } from './templates/templates.controller.js';
import { TemplatesOptions } from './templates.options.js';
import { TemplatesRepository } from './templates/templates.repository.js';
import { TemplateImages } from './templates/template-images.service.js';
import { TemplatesService } from './templates/templates.service.js';
import { TemplateVersion } from './versions/template-version.entity.js';
import { TemplateVersionsCron } from './versions/template-versions.cron.js';
import { TemplateVersionsRepository } from './versions/template-versions.repository.js';

/** Templates, their lint and previews. Needs `ImagesModule`, `BillingModule`, `AccountsModule`, `BlobStorage`, `Clock`, `Database` and `Jobs`. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([Template, TemplateVersion])],
  providers: [
    TemplateImages,
    TemplatesService,
    TemplatesRepository,
    TemplateImageListener,
    TemplateUsageListener,
    ...[TemplateLint, TemplateImageFacts],
    CertificateChangesHandlers,
    TemplateAccountData,
    ...[Previews, DraftPreviews, StoredPreviewImages],
    TemplateVersionsRepository,
    TemplateVersionsCron,
  ],
  exports: [TemplatesService, TemplateLint, TemplateVersionsRepository, Previews],
})
export class TemplatesModule extends rootModule(TemplatesOptions, [
  TemplatesController,
  TemplateImagesController,
  TemplateLintController,
  TemplatePreviewController,
  DraftPreviewController,
]) {}
