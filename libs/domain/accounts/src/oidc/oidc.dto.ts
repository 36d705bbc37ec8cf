import { Text } from '@passwright/core';
import { codeExample } from '../invites/invite.dto.js';

/** Query of the beginning of a sign-in. */
export class SignInQuery {
  @Text({
    optional: true,
    max: 64,
    description: 'The account to act on, where the user is in it. Default: the one they have been in longest.',
    example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP',
  })
  accountId?: string | null;

  @Text({
    optional: true,
    max: 100,
    description:
      'The code of an invitation, which is accepted by the sign-in. Without it nobody comes into an account that they are not in.',
    example: codeExample,
  })
  invite?: string | null;

  @Text({
    optional: true,
    max: 2000,
    description:
      'Where to go on after the sign-in, one of the addresses that the operator has allowed, with a query of your own: ' +
      'it is called with `#code=…`, or with `#error=…&message=…`. Default: the tokens are the answer of the callback.',
    example: 'https://app.example.com/signed-in?attempt=7',
  })
  returnTo?: string | null;
}

/** Body of what a sign-in's code is exchanged with. */
export class SignInCodeRequest {
  @Text({
    max: 100,
    description: 'The code from the fragment of `returnTo`: for one minute, once.',
    example: 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw',
  })
  code!: string;
}
