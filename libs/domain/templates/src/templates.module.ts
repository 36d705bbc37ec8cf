import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { CertificateChanges } from './certificate-changes.js';
import { Previews } from './preview/previews.service.js';
import { TemplatePreviewController } from './preview/template-preview.controller.js';
import { TemplateAccountData } from './template-account-data.js';
import { TemplateImageListener } from './template-image.listener.js';
import { TemplateImagesController } from './template-images.controller.js';
import { TemplateLintController } from './template-lint.controller.js';
import { TemplateLint } from './template-lint.service.js';
import { Template } from './template.entity.js';
import { TemplatesController } from './templates.controller.js';
import { TemplatesOptions } from './templates.options.js';
import { TemplatesRepository } from './templates.repository.js';
import { TemplatesService } from './templates.service.js';

/** Templates, their lint and previews. Needs `ImagesModule`, `AccountsModule`, `BlobStorage`, `Clock`, `Database` and `Jobs`. */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([Template])],
  providers: [
    TemplatesService,
    TemplatesRepository,
    TemplateImageListener,
    TemplateLint,
    CertificateChanges,
    TemplateAccountData,
    Previews,
  ],
  exports: [TemplatesService, TemplateLint, Previews],
})
export class TemplatesModule extends rootModule(TemplatesOptions, [
  TemplatesController,
  TemplateImagesController,
  TemplateLintController,
  TemplatePreviewController,
]) {}
