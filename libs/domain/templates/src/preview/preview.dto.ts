import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { previewSystems, type PreviewSystem, type PreviewTheme } from '@passwright/wallet-renderers';
import { LintFinding } from '../lint/template-lint.dto.js';
import { type WireWallet, wireWallets } from './preview-query.dto.js';

const wallet = { enum: Object.keys(wireWallets), example: 'walletA' };

/** The addresses of one image. */
export class PreviewPicture {
  @ApiProperty({ description: 'The wallet that the image shows.', ...wallet })
  wallet!: WireWallet;

  @ApiProperty({ description: 'The theme of the phone.', enum: ['light', 'dark'], example: 'light' })
  theme!: PreviewTheme;

  @ApiPropertyOptional({
    description: 'The system of the phone, if Apple Wallet shows the pass differently on older systems.',
    enum: [...previewSystems],
    example: 'ios27',
  })
  system?: PreviewSystem;

  @ApiProperty({
    example: 'http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=svg',
  })
  svgUrl!: string;

  @ApiProperty({
    example: 'http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=png',
  })
  pngUrl!: string;
}

/** A text that does not fit in a wallet. */
export class PreviewCut {
  @ApiProperty({ description: 'The wallets that cut the text.', ...wallet })
  wallet!: WireWallet;

  @ApiProperty({ description: 'The document that `path` is in.', enum: ['template', 'pass'], example: 'template' })
  in!: 'template' | 'pass';

  @ApiProperty({ description: 'JSON path of the text.', example: '$.title' })
  path!: string;

  @ApiProperty({ example: 'Twenty per cent off everything, all summer long' })
  text!: string;

  @ApiProperty({ description: 'The part that remains visible.', example: 'Twenty per cent off everyth…' })
  shown!: string;
}

/** A preview as text. */
export class PreviewResponse {
  @ApiProperty({ description: 'All available images.', type: () => PreviewPicture, isArray: true })
  pictures!: readonly PreviewPicture[];

  @ApiProperty({
    description: 'The findings of the template lint, errors first.',
    type: () => LintFinding,
    isArray: true,
  })
  findings!: readonly LintFinding[];

  @ApiProperty({
    description: 'The texts that do not fit, measured with a font similar to the phone’s.',
    type: () => PreviewCut,
    isArray: true,
  })
  cut!: readonly PreviewCut[];
}
