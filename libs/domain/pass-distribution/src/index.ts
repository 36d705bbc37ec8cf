export { HolderPassesService, type ErasedPasses, type LockedPasses } from './holders/holder-passes.service.js';
export { mailImages } from './mails/mail-images.js';
export { PassDistributionModule } from './pass-distribution.module.js';
export { PassDistributionOptions } from './pass-distribution.options.js';
export { PassPagesModule } from './pass-pages.module.js';
export { PassPagesOptions } from './pass-pages.options.js';
export { WebViewsService, type WebView } from './web/web-views.service.js';
