export { WebhooksModule } from './webhooks.module.js';
export { WebhooksOptions } from './webhooks.options.js';
