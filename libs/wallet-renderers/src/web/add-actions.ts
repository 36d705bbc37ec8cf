import { phrasesOf } from './languages.js';
import type { WebPageContext } from './page-context.js';
import { qrCodeSvg } from './qr-code.js';

/** A way to a wallet. `main` ones are buttons; the others links, for whoever reads the page on another device. */
export interface AddAction {
  readonly href: string;
  readonly words: string;
  readonly main: boolean;
}

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

/** @param isGood false for a pass that has ended, which is not offered to be added */
export function addActions({ urls, reader, ...context }: WebPageContext, isGood: boolean): AddActions {
  const phrases = phrasesOf(reader.language);
  const { device, inApp } = reader;
  const apple = isGood && urls.apple ? [{ href: urls.apple, words: phrases.addToApple, on: 'apple' as const }] : [];
  const google =
    isGood && urls.google ? [{ href: urls.google, words: phrases.addToGoogle, on: 'google' as const }] : [];
  const own = device === 'android' ? 'google' : 'apple';
  const found = own === 'google' ? [...google, ...apple] : [...apple, ...google];
  // At a desk neither wallet is at hand more than the other; where there is only one, it is the button.
  const wallets = found.map(({ href, words, on }) => ({
    href,
    words,
    main: device === 'desktop' || on === own || found.length === 1,
  }));
  const isAtDesk = device === 'desktop' || device === 'mac';
  const hint = device === 'iphone' ? phrases.openInSafari : phrases.openInBrowser;
  return {
    wallets,
    pageSvg: wallets.length > 0 && isAtDesk ? qrCodeSvg(urls.web) : '',
    inAppHint: inApp && wallets.length > 0 ? hint : null,
    developmentNotes: [
      ...(context.development && apple.length > 0 ? [phrases.developmentApple] : []),
      ...(context.googleDevelopment && google.length > 0 ? [phrases.developmentGoogle] : []),
    ],
  };
}
