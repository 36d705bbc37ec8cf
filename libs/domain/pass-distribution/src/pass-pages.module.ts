import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { BundlePagesService } from './bundles/bundle-pages.service.js';
import { BundlesController } from './bundles/bundles.controller.js';
import { BundlesService } from './bundles/bundles.service.js';
import { GoogleBundlesController } from './bundles/google-bundles.controller.js';
import { PassPagesOptions } from './pass-pages.options.js';
import { PageTemplates } from './web/page-templates.service.js';
import { WebViewsController } from './web/web-views.controller.js';
import { WebViewsService } from './web/web-views.service.js';

/**
 * Serves web views of passes, and bundles of passes with their pages. Needs `PassesModule`, `TemplatesModule`,
 * `Signer`, `GoogleWallet` and `Clock`.
 */
@Module({
  providers: [PageTemplates, WebViewsService, BundlesService, BundlePagesService],
  exports: [WebViewsService],
})
export class PassPagesModule extends rootModule(PassPagesOptions, [
  BundlesController,
  WebViewsController,
  GoogleBundlesController,
]) {}
