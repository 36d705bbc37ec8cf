import { ApiProperty } from '@nestjs/swagger';
import type { PreviewTheme } from '@passwright/wallet-renderers';
import { LintFinding } from '../lint/template-lint.dto.js';
import { type WireWallet, wireWallets } from './preview-query.dto.js';

const wallet = { enum: Object.keys(wireWallets), example: 'walletA' };

/** The addresses of one picture. */
export class PreviewPicture {
  @ApiProperty({ description: 'Where the pass is shown.', ...wallet })
  wallet!: WireWallet;

  @ApiProperty({ description: "The phone's appearance.", enum: ['light', 'dark'], example: 'light' })
  theme!: PreviewTheme;

  @ApiProperty({
    example: 'http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=svg',
  })
  svgUrl!: string;

  @ApiProperty({
    example: 'http://localhost:3000/v1/templates/summer-sale/preview?wallet=walletA&theme=light&format=png',
  })
  pngUrl!: string;
}

/** A text that a wallet has no room for. */
export class PreviewCut {
  @ApiProperty({ description: 'Where it is cut.', ...wallet })
  wallet!: WireWallet;

  @ApiProperty({ description: 'Which document `path` is in.', enum: ['template', 'pass'], example: 'template' })
  in!: 'template' | 'pass';

  @ApiProperty({ description: 'JSON path of the text.', example: '$.title' })
  path!: string;

  @ApiProperty({ example: 'Twenty per cent off everything, all summer long' })
  text!: string;

  @ApiProperty({ description: 'What is left of it.', example: 'Twenty per cent off everyth…' })
  shown!: string;
}

/** A preview in words. */
export class PreviewAnswer {
  @ApiProperty({ description: 'All pictures there are.', type: () => PreviewPicture, isArray: true })
  pictures!: readonly PreviewPicture[];

  @ApiProperty({ description: 'What the template lint finds: errors first.', type: () => LintFinding, isArray: true })
  findings!: readonly LintFinding[];

  @ApiProperty({
    description: "The texts that do not fit, measured with a font that is about as wide as the phone's.",
    type: () => PreviewCut,
    isArray: true,
  })
  cut!: readonly PreviewCut[];
}
