export { ApplePassesService, type ApplePass } from './apple/apple-passes.service.js';
export type { WalletPass, WalletPass as ApplePassRow } from './wallets/wallet-passes.repository.js';
export { DeletedPass } from './passes/deleted-pass.entity.js';
export { ChangedPassWithLinks, type ChangedPass } from './passes/changed-pass.dto.js';
export { DependentPasses, type DependentContent } from './passes/dependent-passes.js';
export { mailImages } from './mails/mail-images.js';
export { HolderPassesService, type ErasedPasses } from './holders/holder-passes.service.js';
export { PassListener, type PassSerial, type TimelyMessage } from './listeners/pass.listener.js';
export { passLinks, type PassAddress, type PassLinks } from './passes/pass-links.js';
export { PassListQuery } from './passes/pass-list.dto.js';
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
export { WebViewsService, type WebView } from './web/web-views.service.js';
