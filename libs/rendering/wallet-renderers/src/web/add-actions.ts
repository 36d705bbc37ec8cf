import { phrasesOf } from './languages.js';
import type { WebPageContext } from './page-context.js';
import { qrCodeSvg } from './qr-code.js';
import type { Reader } from './reader.js';

/** A way to a wallet. `main` ones are buttons; the others links, for whoever reads the page on another device. */
export interface AddAction {
  readonly href: string;
  readonly words: string;
  readonly main: boolean;
}

/** Where wallets add something; null where one cannot. */
export type WalletUrls = Pick<WebPageContext['urls'], 'apple' | 'google'>;

/** What a page offers to do with the pass. */
export interface AddActions {
  /** The reader's own wallet first; empty when there is nothing to add. */
  readonly wallets: readonly AddAction[];
  /** Of the page's address, for a reader whose phone is at hand; empty on a phone. */
  readonly pageSvg: string;
  /** What a reader inside another app is to do; null everywhere else. */
  readonly inAppHint: string | null;
  /** What keeps real devices from taking the pass. */
  readonly developmentNotes: readonly string[];
}

/** What must be known to offer a wallet. */
export type AddContext = Pick<WebPageContext, 'urls' | 'reader' | 'development' | 'googleDevelopment'>;

// A longer address makes a code that no camera reads.
const longestScannedUrl = 600;

/** @param isGood false for a pass that has ended, which is not offered to be added */
export function addActions({ urls, reader, ...context }: AddContext, isGood: boolean): AddActions {
  const phrases = phrasesOf(reader.language);
  const { device, inApp } = reader;
  const words = { apple: phrases.addToApple, google: phrases.addToGoogle };
  const wallets = isGood ? walletActions(urls, reader, words) : [];
  const offered = wallets.length > 0;
  const isAtDesk = device === 'desktop' || device === 'mac';
  const hint = device === 'iphone' ? phrases.openInSafari : phrases.openInBrowser;
  return {
    wallets,
    pageSvg: offered && isAtDesk && urls.web.length <= longestScannedUrl ? qrCodeSvg(urls.web) : '',
    inAppHint: inApp && offered ? hint : null,
    developmentNotes: [
      ...(context.development && isGood && urls.apple ? [phrases.developmentApple] : []),
      ...(context.googleDevelopment && isGood && urls.google ? [phrases.developmentGoogle] : []),
    ],
  };
}

/** The wallets that there are, the reader's own first. @param words what each is offered with */
export function walletActions(
  urls: WalletUrls,
  { device }: Reader,
  words: Readonly<Record<keyof WalletUrls, string>>,
): AddAction[] {
  const order = device === 'android' ? (['google', 'apple'] as const) : (['apple', 'google'] as const);
  const found = order.flatMap((on) => (urls[on] ? [{ on, href: urls[on] }] : []));
  // At a desk neither wallet is at hand more than the other; where there is only one, it is the button.
  return found.map(({ on, href }) => ({
    href,
    words: words[on],
    main: device === 'desktop' || on === order[0] || found.length === 1,
  }));
}
