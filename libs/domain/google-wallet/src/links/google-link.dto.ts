import { ApiProperty } from '@nestjs/swagger';

/** The answer of the routes that hand out a save link. */
export class GoogleLinkResponse {
  @ApiProperty({
    description: 'Where a holder adds the pass. Whoever has it can: keep it as secret as the pass.',
    example: 'https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln',
  })
  url!: string;

  @ApiProperty({ description: 'True without a Google Wallet issuer: a link to look at, which saves nothing.' })
  development!: boolean;

  @ApiProperty({
    type: [String],
    description: 'What whoever set the service up should know: such as why images are left out.',
    example: [],
  })
  notes!: string[];
}
