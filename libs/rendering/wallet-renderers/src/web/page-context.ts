import type { Reader } from './reader.js';

/** Absolute http(s) addresses of a template's images in their sizes for the web; what is missing is left out of the page. */
export interface WebImages {
  readonly icon?: string | null;
  readonly logo?: string | null;
  readonly banner?: string | null;
  readonly background?: string | null;
  readonly thumbnail?: string | null;
  /** What a link to the page looks like where it is shared, and its size in pixels; 1200 × 630 fills the frame. */
  readonly preview?: { readonly url: string; readonly width: number; readonly height: number } | null;
}

/** What a page needs besides template and pass. */
export interface WebPageContext {
  readonly urls: {
    /** Where the Apple package of the pass is; null when none can be had. */
    readonly apple: string | null;
    /** Where Google Wallet adds the pass, directly or by a redirect; null when it cannot. */
    readonly google: string | null;
    /** The address of the page itself. */
    readonly web: string;
  };
  readonly images: WebImages;
  /** The instant at which the pass's state is told. */
  readonly now: Date;
  /** True when the Apple package is not signed with a certificate of Apple's: the page then says so. */
  readonly development: boolean;
  /** True when Google does not know the key that signs links: the page then says so. */
  readonly googleDevelopment?: boolean;
  readonly reader: Reader;
  /** The page's entity tag, by which it asks for a newer one while it is open. */
  readonly version: string;
}
