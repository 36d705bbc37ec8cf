import { phrasesOf } from './languages.js';
import type { Phrases } from './phrases/phrases.js';
import type { WalletBadge, WebPageContext } from './page-context.js';
import { qrCodeSvg } from './barcode.js';
import type { Reader } from './reader.js';

/** A link to a wallet. A `main` link is a button; other links are plain text. */
export interface AddAction {
  readonly href: string;
  readonly words: string;
  readonly main: boolean;
  /** The artwork that replaces the words, or null. */
  readonly badge: WalletBadge | null;
}

/** The addresses at which wallets add a pass or a bundle; null for a wallet that cannot add it. */
export type WalletUrls = Pick<WebPageContext['urls'], 'apple' | 'google'>;

/** The actions that a page offers for the pass. */
export interface AddActions {
  /** The wallets, the reader's own first; empty if there is nothing to add. */
  readonly wallets: readonly AddAction[];
  /** A QR code with the page's address, for a reader who has a phone nearby; empty on a phone. */
  readonly pageSvg: string;
  /** The instruction for a reader inside another app; null everywhere else. */
  readonly inAppHint: string | null;
  /** The reason why real devices reject the pass; null if they accept it. */
  readonly developmentNote: string | null;
}

/** The input that determines which wallets are offered. */
export type AddContext = Pick<WebPageContext, 'urls' | 'reader' | 'development' | 'googleDevelopment' | 'badges'>;

// Cameras cannot read the QR code of a longer address.
const longestScannedUrl = 600;

/** Returns the actions of a page. @param isGood false if the pass has ended, so that it cannot be added */
export function addActions({ urls, reader, ...context }: AddContext, isGood: boolean): AddActions {
  const phrases = phrasesOf(reader.language);
  const { device, inApp } = reader;
  const words = { apple: phrases.addToApple, google: phrases.addToGoogle };
  const wallets = isGood ? walletActions(urls, reader, words, context.badges) : [];
  const offered = wallets.length > 0;
  const isAtDesk = device === 'desktop' || device === 'mac';
  const hint = device === 'iphone' ? phrases.openInSafari : phrases.openInBrowser;
  return {
    wallets,
    pageSvg: offered && isAtDesk && urls.web.length <= longestScannedUrl ? qrCodeSvg(urls.web) : '',
    inAppHint: inApp && offered ? hint : null,
    developmentNote: isGood ? developmentNote(phrases, urls, context) : null,
  };
}

/** Returns a notice if one or both wallets would reject the pass; null if both accept it. */
function developmentNote(
  phrases: Phrases,
  urls: WalletUrls,
  context: Pick<AddContext, 'development' | 'googleDevelopment'>,
): string | null {
  const apple = context.development && urls.apple !== null;
  const google = context.googleDevelopment === true && urls.google !== null;
  if (apple && google) return phrases.development;
  if (apple) return phrases.developmentApple;
  return google ? phrases.developmentGoogle : null;
}

/**
 * Returns the available wallets, the reader's own first.
 * @param words the label of each wallet
 * @param badges the artwork of each wallet that has one
 */
export function walletActions(
  urls: WalletUrls,
  { device }: Reader,
  words: Readonly<Record<keyof WalletUrls, string>>,
  badges: WebPageContext['badges'] = {},
): AddAction[] {
  const order = device === 'android' ? (['google', 'apple'] as const) : (['apple', 'google'] as const);
  const found = order.flatMap((on) => (urls[on] ? [{ on, href: urls[on] }] : []));
  // On a desktop, neither wallet is preferred. A single available wallet is the button.
  return found.map(({ on, href }) => ({
    href,
    words: words[on],
    main: device === 'desktop' || on === order[0] || found.length === 1,
    badge: badges[on] ?? null,
  }));
}
