export { ApplePassesService, type ApplePass } from './apple/apple-passes.service.js';
export { sendParts } from './apple/apple-package.answer.js';
export { WalletPassesRepository, type WalletPass } from './wallets/wallet-passes.repository.js';
export { DeletedPass } from './passes/deleted-pass.entity.js';
export { ChangedPassWithLinks, type ChangedPass } from './passes/changed-pass.dto.js';
export { DependentPasses, type DependentContent } from './passes/dependent-passes.js';
export { PassListener, type PassSerial, type TimelyMessage } from './listeners/pass.listener.js';
export {
  type DeviceProgress,
  type FormerDevice,
  type InstalledDevice,
  type LogLine,
  type PassDevice,
} from './devices/pass-devices.repository.js';
export { PassDevicesService } from './devices/pass-devices.service.js';
export { GoogleDeliveryResponse } from './google/google-delivery.dto.js';
export { GoogleLinkResponse } from './google/google-link.dto.js';
export { GoogleLinksService } from './google/google-links.service.js';
export { GoogleProgressService } from './google/google-progress.service.js';
export { saveLinkDescription, saveLinkRedirect, sendSaveLink } from './google/save-link-response.js';
export { PageErrorsInterceptor } from './pages/page-errors.interceptor.js';
export { pageHeaders, readerOfRequest } from './pages/page-response.js';
export { IssuedPassesService } from './passes/issued-passes.service.js';
export { ApiPassAddress, ApiPublicPassAddress } from './passes/pass-api.decorators.js';
export { PushStateService, type PushState } from './updates/push-state.service.js';
export { passLinks, type PassAddress, type PassLinks } from './passes/pass-links.js';
export { PassListQuery } from './passes/pass-list.dto.js';
export { PassUsageListener } from './passes/pass-usage.listener.js';
export { PassTransitionsService } from './passes/pass-transitions.service.js';
export {
  PassMetadataRequest,
  PassPatch,
  PassRequest,
  PassResponse,
  ListedPass,
  PassWithLinks,
  toListedPass,
  toPassResponse,
} from './passes/pass.dto.js';
export { Pass } from './passes/pass.entity.js';
export { PassExists, PassNotFound } from './passes/passes.errors.js';
export { PassesModule } from './passes.module.js';
export { PassesOptions } from './passes.options.js';
export type { IssuedPass } from './passes/passes.repository.js';
export { PassesService } from './passes/passes.service.js';
export { applyMergePatch, type JsonRecord } from './passes/merge-patch.js';
