export { GoogleCallbacksService } from './callbacks/google-callbacks.service.js';
export { GoogleWalletModule } from './google-wallet.module.js';
export { GoogleWalletOptions } from './google-wallet.options.js';
export { GoogleLinkResponse } from './links/google-link.dto.js';
export { GoogleLinksService } from './links/google-links.service.js';
export { saveLinkDescription, saveLinkRedirect, sendSaveLink } from './links/save-link-response.js';
export {
  type EndedMessage,
  type GoogleMessageEnd,
  GoogleMessageListener,
  googleMessageOutcomes,
} from './messages/google-message.listener.js';
export { QuietHoursListener } from './messages/quiet-hours.listener.js';
export { GoogleDeliveryResponse } from './progress/google-delivery.dto.js';
export type { GoogleReach } from './progress/google-progress.repository.js';
export { GoogleProgressService } from './progress/google-progress.service.js';
export { googleSyncBacklog, type GoogleSyncBacklog } from './sync/google-sync-backlog.js';
