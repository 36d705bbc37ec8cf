import { OneOf, Text } from '@passwright/core';
import {
  previewSystems,
  type PreviewSystem,
  type PreviewTheme,
  type PreviewWallet,
} from '@passwright/wallet-renderers';

/** The names of the wallets in the API. */
export const wireWallets = { walletA: 'apple', walletB: 'google', web: 'web' } as const satisfies Record<
  string,
  PreviewWallet
>;
export type WireWallet = keyof typeof wireWallets;

/** Returns the name of a wallet in the API. */
export function wireName(wallet: PreviewWallet): WireWallet {
  const name = Object.entries(wireWallets).find(([, known]) => known === wallet)?.[0];
  return (name ?? 'web') as WireWallet;
}

/** The media type of each format. */
export const previewTypes = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
} as const;
export type PreviewFormat = keyof typeof previewTypes;

export const languageDescription =
  'The language of the pass and of dates. Default: the language of the template, with English dates.';

/** The query of a preview. */
export class PreviewQuery {
  @OneOf({
    description: 'The wallet that the image shows. Default: `walletA`. `json` and `html` show all of them.',
    values: Object.keys(wireWallets),
    optional: true,
  })
  wallet?: WireWallet;

  @OneOf({
    description: 'The theme of the phone in the image. Default: `light`.',
    values: ['light', 'dark'],
    optional: true,
  })
  theme?: PreviewTheme;

  @OneOf({
    description:
      'The iOS version in the image of `walletA`. iOS 26 and earlier (`ios26`) show QR codes for newer ' +
      'barcodes, and no artwork or actions. Default: `ios27`.',
    values: previewSystems,
    optional: true,
  })
  system?: PreviewSystem;

  @OneOf({
    description: 'The format of the response. Default: by the `Accept` header.',
    values: Object.keys(previewTypes),
    optional: true,
  })
  format?: PreviewFormat;

  @OneOf({
    description: 'For a `png`: pixels per point. The image is 415 points wide. Default: 2.',
    values: ['1', '2', '3'],
    optional: true,
  })
  scale?: '1' | '2' | '3';

  @Text({
    description: languageDescription,
    max: 35,
    example: 'de',
    optional: true,
  })
  lang?: string;
}
