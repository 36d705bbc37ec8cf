export { ApnsPush } from './apns-push.js';
export { ApplePushModule } from './apple-push.module.js';
export { ApplePushOptions } from './apple-push.options.js';
