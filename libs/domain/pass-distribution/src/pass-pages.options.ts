import type { WalletBadges } from './web/wallet-badges.js';

/** Options of `PassPagesModule.forRoot`. */
export abstract class PassPagesOptions {
  /** The public address of the service, without a trailing slash. All links start with it. */
  abstract readonly baseUrl: string;
  /** The language of templates that do not name one, as a BCP 47 tag. Default: `en`. */
  abstract readonly language?: string;
  /** The official artwork of the wallets' buttons on the page of a pass. Default: buttons with text. */
  abstract readonly badges?: WalletBadges;
}
