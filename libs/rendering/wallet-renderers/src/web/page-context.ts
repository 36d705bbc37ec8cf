import type { ActionLink } from './action-words.js';
import type { PassColours } from './readable-colours.js';
import type { Reader } from './reader.js';
/** Absolute http(s) addresses of a template's images in their web sizes. The page omits missing images. */
export interface WebImages {
  readonly icon?: string | null;
  readonly logo?: string | null;
  readonly banner?: string | null;
  readonly background?: string | null;
  readonly thumbnail?: string | null;
  /** A portrait image, shown in place of the banner. */
  readonly artwork?: string | null;
  /** The preview image of shared links with its size in pixels; 1200 × 630 fills the frame. */
  readonly preview?: { readonly url: string; readonly width: number; readonly height: number } | null;
}

/** The texts and the icon of a pass on a page with other passes. */
export interface PassSummary {
  readonly title: string;
  readonly issuerName: string;
  /** The language of title, issuer and detail, as a BCP 47 tag. Null or undefined if it is unknown. */
  readonly language?: string | null;
  /** A text that distinguishes this pass from other passes of its template. May be empty. */
  readonly detail: string;
  /** The day and the time of an event in words, or empty. */
  readonly when?: string;
  /** The colours of the row of this pass in the list of a bundle. Without them, the row has the colours of the page. */
  readonly colours?: PassColours;
  /** The pass's own actions, which only the page of a bundle shows. */
  readonly actions?: readonly ActionLink[];
  /** The absolute http(s) address of the icon; null shows no icon. */
  readonly iconUrl: string | null;
  /** The reason why the pass is no longer usable, as text; null while it is valid. */
  readonly ended: string | null;
}

/** The other passes of a holder that a page shows. */
export interface RelatedPasses {
  readonly passes: readonly (PassSummary & {
    /** The address of the pass's page; null if this page only names the pass without a link. */
    readonly webUrl: string | null;
  })[];
  /** The address of the page with this pass and the passes that it links to; null if it links to no pass. */
  readonly allUrl: string | null;
}

/** The official artwork of the button of a wallet. The wallet's platform publishes it in many languages. */
export interface WalletBadge {
  /** An address with the scheme `data`, which the page's policy allows. */
  readonly url: string;
  /** The artwork for dark backgrounds; null or undefined means the artwork for light backgrounds. */
  readonly darkUrl?: string | null;
}

/** The input of a page besides template and pass. */
export interface WebPageContext {
  readonly urls: {
    /** The address of the pass's Apple package; null if there is no package. */
    readonly apple: string | null;
    /** The address where Google Wallet adds the pass, directly or by a redirect; null if there is none. */
    readonly google: string | null;
    /** The address of the page itself. */
    readonly web: string;
  };
  readonly images: WebImages;
  /** The artwork of the wallets' buttons in the reader's language. A wallet without artwork has a button with words. */
  readonly badges?: { readonly apple?: WalletBadge | null; readonly google?: WalletBadge | null };
  /** The passes that belong to this pass; null or undefined if there are none. */
  readonly related?: RelatedPasses | null;
  /** The current time. The page shows the state of the pass at this time. */
  readonly now: Date;
  /** True if the certificate that signs the package is not from Apple. The page then says so. */
  readonly development: boolean;
  /** True if Google does not know the key that signs links. The page then says so. */
  readonly googleDevelopment?: boolean;
  readonly reader: Reader;
  /** The default language, as a BCP 47 tag, for templates that do not name a language. Default: `en`. */
  readonly language?: string;
  /** The entity tag of the page, with which an open page asks for a newer version. */
  readonly version: string;
}
