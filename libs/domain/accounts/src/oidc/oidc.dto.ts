import { Text } from '@passwright/core';
import { codeExample } from '../invites/invite.dto.js';

/** Query that starts a sign-in. */
export class SignInQuery {
  @Text({
    optional: true,
    max: 64,
    description: 'The account to act on, if the user is in it. Default: the account that the user joined first.',
    example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP',
  })
  accountId?: string | null;

  @Text({
    optional: true,
    max: 100,
    description: 'The code of an invitation that the sign-in accepts.',
    example: codeExample,
  })
  invite?: string | null;

  @Text({
    optional: true,
    max: 2000,
    description:
      'The address to open after the sign-in, with `#code=…` or `#error=…&message=…`. The operator must have ' +
      'allowed it; you may add a query. Default: the callback returns the tokens.',
    example: 'https://app.example.com/signed-in?attempt=7',
  })
  returnTo?: string | null;
}

/** Request body with a sign-in code. */
export class SignInCodeRequest {
  @Text({
    max: 100,
    description: 'The code from the fragment of `returnTo`. It works once, within a minute.',
    example: 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw',
  })
  code!: string;
}
