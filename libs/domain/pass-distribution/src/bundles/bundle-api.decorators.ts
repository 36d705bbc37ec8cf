import { ApiParam, ApiQuery } from '@nestjs/swagger';

export const ApiAccountId = () =>
  ApiParam({ name: 'accountId', description: 'The id of the account.', example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' });

/** Documents `?pass=TEMPLATE:PASS&pass=…`. */
export const ApiBundledPasses = () =>
  ApiQuery({
    name: 'pass',
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: { type: 'string', maxLength: 129 },
      example: ['summer-sale:ada', 'gold-club:ada'],
    },
    description: 'A pass as `TEMPLATE:PASS`. Repeat the parameter for up to 10 passes, from any templates.',
  });
