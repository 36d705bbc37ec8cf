import { createHash } from 'node:crypto';
import type { Reader, WalletBadge, WebPageContext } from '@passwright/wallet-renderers';

/** The official artwork of the wallets' buttons, by BCP 47 tag in lower case. */
export interface WalletBadges {
  readonly apple: Readonly<Record<string, WalletBadge>>;
  readonly google: Readonly<Record<string, WalletBadge>>;
}

/**
 * Returns the artwork for the reader's locale, or else for the language, or else in English. Both platforms require
 * this.
 */
export function badgesFor(badges: WalletBadges | undefined, reader: Reader): NonNullable<WebPageContext['badges']> {
  if (!badges) return {};
  const tags = [reader.locale, reader.language, reader.language.split('-', 1)[0] ?? '', 'en'];
  const badgeOf = (wallet: keyof WalletBadges) =>
    tags.flatMap((tag) => badges[wallet][tag.toLowerCase()] ?? [])[0] ?? null;
  return { apple: badgeOf('apple'), google: badgeOf('google') };
}

/** Returns a text that changes whenever the artwork changes. */
export function versionOfBadges(badges: WalletBadges | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(badges ?? null))
    .digest('base64url')
    .slice(0, 8);
}
