import { OneOf, Text } from '@passwright/core';
import type { PreviewTheme, PreviewWallet } from '@passwright/wallet-renderers';

/** The wallets in the words of the interface. */
export const wireWallets = { walletA: 'apple', walletB: 'google', web: 'web' } as const satisfies Record<
  string,
  PreviewWallet
>;
export type WireWallet = keyof typeof wireWallets;

/** The media type of each format. */
export const previewTypes = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
} as const;
export type PreviewFormat = keyof typeof previewTypes;

/** The query of a preview. */
export class PreviewQuery {
  @OneOf({
    description: 'Of a picture: where the pass is shown; `walletA` unless given. `json` and `html` show all of them.',
    values: Object.keys(wireWallets),
    optional: true,
  })
  wallet?: WireWallet;

  @OneOf({
    description: "Of a picture: the phone's appearance around the pass; `light` unless given.",
    values: ['light', 'dark'],
    optional: true,
  })
  theme?: PreviewTheme;

  @OneOf({
    description: 'What to answer with; by the `Accept` header unless given.',
    values: Object.keys(previewTypes),
    optional: true,
  })
  format?: PreviewFormat;

  @OneOf({
    description: 'Of a `png`: pixels per point, which is 415 points wide; 2 unless given.',
    values: ['1', '2', '3'],
    optional: true,
  })
  scale?: '1' | '2' | '3';

  @Text({
    description: 'The language of what the wallet itself says, such as dates; English unless given.',
    max: 35,
    example: 'de',
    optional: true,
  })
  lang?: string;
}
