export { DeletedPass } from './deletion/deleted-pass.entity.js';
export { ChangedPassWithLinks, type ChangedPass } from './passes/changed-pass.dto.js';
export { ManagedPassesService, type ManagedContent } from './managed/managed-passes.service.js';
export { titlesOf } from './listeners/changed-front.js';
export {
  type ChangedFront,
  PassListener,
  type PassSerial,
  type SentNotice,
  type TextsByLanguage,
  type TimelyMessage,
} from './listeners/pass.listener.js';
export { withErrorPage } from './pages/page-errors.js';
export { prefersPage } from './pages/prefers-page.js';
export { pageHeaders, readerOfRequest, rejectionHtml, type PageRequest } from './pages/page-response.js';
export { IssuedPassesService } from './passes/issued-passes.service.js';
export { ApiPassAddress, ApiPublicPassAddress } from './passes/pass-api.decorators.js';
export type { PassAddress } from './addresses/pass-address.js';
export { PublicPassAddress } from './addresses/public-pass-address.decorator.js';
export { passLinks, type PassLinks } from './addresses/pass-links.js';
export { PassListQuery } from './lists/pass-list.dto.js';
export { PassUsageListener } from './usage/pass-usage.listener.js';
export { PassTransitionsService } from './transitions/pass-transitions.service.js';
export { PassMetadataRequest, PassPatch, PassRequest, PassResponse, toPassResponse } from './content/pass.dto.js';
export { ListedPass, PassWithLinks, toListedPass } from './content/pass-with-links.dto.js';
export { Pass, type PassMessage } from './content/pass.entity.js';
export { PassMessagesService } from './messages/pass-messages.service.js';
export type { Audience, AudiencePass, WantedField } from './wallets/messaged-passes.repository.js';
export { PassExists, PassNotFound } from './passes/passes.errors.js';
export { PassesModule } from './passes.module.js';
export { PassesOptions } from './passes.options.js';
export type { IssuedPass } from './content/issued-pass.js';
export { PassesService } from './passes/passes.service.js';
export { applyMergePatch, type JsonRecord } from './content/merge-patch.js';
export { DeletedWalletPassesRepository, type DeletedPassRow } from './wallets/deleted-wallet-passes.repository.js';
export { HeldPassesRepository, type HeldPass } from './wallets/held-passes.repository.js';
export { LinkedPassesRepository, type LinkedPass } from './wallets/linked-passes.repository.js';
export { PassContentsRepository, type PassContents } from './wallets/pass-contents.repository.js';
export { deletedPassVersions, isHeldSql, joinVersions, passVersions } from './wallets/pass-versions.js';
export { RelatedPassesRepository, type LinkTarget } from './wallets/related-passes.repository.js';
export { accountOfSerialNumber } from './content/serial-number.js';
export { groupingIdOf, referenceName, type PassGroup, type PassReference } from './content/pass-relations.js';
export {
  WalletPassesRepository,
  type RelatedPass,
  type RelatedVersion,
  type WalletPass,
} from './wallets/wallet-passes.repository.js';
