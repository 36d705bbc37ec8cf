import { ApiProperty } from '@nestjs/swagger';

/** The response of the routes that return a save link. */
export class GoogleLinkResponse {
  @ApiProperty({
    description:
      'The link that adds the pass to a wallet. Anyone who has it can add the pass, so keep it as secret as the ' +
      'pass.',
    example: 'https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln',
  })
  url!: string;

  @ApiProperty({ description: 'True if there is no Google Wallet issuer: the link can be viewed but saves nothing.' })
  development!: boolean;

  @ApiProperty({
    type: [String],
    description: 'Hints for the operator, such as why images are left out.',
    example: [],
  })
  notes!: string[];
}
