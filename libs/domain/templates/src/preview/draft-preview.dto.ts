import { ApiProperty } from '@nestjs/swagger';
import { OneOf, Text } from '@passwright/core';
import type { PreviewTheme } from '@passwright/wallet-renderers';
import { LintFinding } from '../lint/template-lint.dto.js';
import { PreviewCut } from './preview.dto.js';
import { type WireWallet, wireWallets } from './preview-query.dto.js';

/** The query of a draft's preview. */
export class DraftPreviewQuery {
  @OneOf({
    description: 'The phone’s appearance around the pass. Default: both.',
    values: ['light', 'dark'],
    optional: true,
  })
  theme?: PreviewTheme;

  @Text({
    description: 'The language of the wallet’s own texts, such as dates. Default: English.',
    max: 35,
    example: 'de',
    optional: true,
  })
  lang?: string;
}

/** One picture of a draft. */
export class DraftPicture {
  @ApiProperty({
    description: 'The wallet that the picture shows.',
    enum: Object.keys(wireWallets),
    example: 'walletA',
  })
  wallet!: WireWallet;

  @ApiProperty({ description: 'The phone’s appearance.', enum: ['light', 'dark'], example: 'light' })
  theme!: PreviewTheme;

  @ApiProperty({ description: 'The picture: an `<svg>` element that needs no other file.', example: '<svg>…</svg>' })
  svg!: string;
}

/** The preview of a draft. */
export class DraftPreviewResponse {
  @ApiProperty({ type: () => DraftPicture, isArray: true })
  pictures!: readonly DraftPicture[];

  @ApiProperty({
    description: 'The findings of the template lint, errors first. Saving a draft with an `error` is rejected.',
    type: () => LintFinding,
    isArray: true,
  })
  findings!: readonly LintFinding[];

  @ApiProperty({ description: 'The texts that do not fit.', type: () => PreviewCut, isArray: true })
  cut!: readonly PreviewCut[];
}
