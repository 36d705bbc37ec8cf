import { ApiParam, ApiQuery } from '@nestjs/swagger';

export const ApiAccountId = () =>
  ApiParam({ name: 'accountId', description: 'The id of the account.', example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' });

/** Documents `?pass=TEMPLATE:PASS&pass=…`. */
export const ApiBundledPasses = () =>
  ApiQuery({
    name: 'pass',
    isArray: true,
    type: String,
    description: 'A pass as `TEMPLATE:PASS`; 1 to 10 times, from one or several templates.',
    example: ['summer-sale:ada', 'gold-club:ada'],
  });
