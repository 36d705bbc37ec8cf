import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { OneOf, Text } from '@passwright/core';
import { previewSystems, type PreviewSystem, type PreviewTheme } from '@passwright/wallet-renderers';
import { LintFinding } from '../lint/template-lint.dto.js';
import { PreviewCut } from './preview.dto.js';
import { languageDescription, type WireWallet, wireWallets } from './preview-query.dto.js';

/** The query of a draft's preview. */
export class DraftPreviewQuery {
  @OneOf({
    description: 'The theme of the phone. Default: both.',
    values: ['light', 'dark'],
    optional: true,
  })
  theme?: PreviewTheme;

  @OneOf({
    description:
      'The iOS version in the pictures of `walletA`. iOS 26 and earlier (`ios26`) show QR codes for newer ' +
      'barcodes, and no artwork or actions. Default: `ios27`.',
    values: previewSystems,
    optional: true,
  })
  system?: PreviewSystem;

  @Text({
    description: languageDescription,
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

  @ApiProperty({ description: 'The theme of the phone.', enum: ['light', 'dark'], example: 'light' })
  theme!: PreviewTheme;

  @ApiPropertyOptional({
    description: 'The system of the phone, if Apple Wallet shows the pass differently on older systems.',
    enum: [...previewSystems],
    example: 'ios27',
  })
  system?: PreviewSystem;

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
