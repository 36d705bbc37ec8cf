import { ApiProperty } from '@nestjs/swagger';
import { Name, Text } from '@passwright/core';
import { Email } from '../users/email.js';

// Differs from the example user of the README, so that a reader can register both.
const email = 'mary@example.com';
const refreshTokenExample =
  'acc_4fzTm0Jd8xYc2LqWvB7RkP.ses_9aQe3Zr6Uy1Ht5Nk8Mb2Xc.q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw';

/** Request body of a registration. */
export class RegisterRequest {
  @Email({
    description: 'The e-mail that the user signs in with. Unique; upper and lower case are the same.',
    example: email,
  })
  email!: string;

  @Text({
    min: 8,
    max: 200,
    description: '8 to 200 characters on one line.',
    example: 'correct horse battery staple',
  })
  password!: string;

  @Name({ max: 200, description: "The user's name.", example: 'Mary Somerville' })
  name!: string;

  @Name({ max: 200, description: "The new account's name.", example: 'Analytical Engines' })
  accountName!: string;
}

/** Request body of a login. */
export class LoginRequest {
  @Email({ description: 'The e-mail, in upper or lower case.', example: email })
  email!: string;

  @Text({ max: 200, description: 'The password.', example: 'correct horse battery staple' })
  password!: string;

  @Text({
    optional: true,
    max: 64,
    description: 'The account to act on. Default: the account that the user joined first.',
  })
  accountId?: string | null;
}

/** Request body with a refresh token. */
export class RefreshTokenRequest {
  @Text({ max: 200, description: 'The latest refresh token.', example: refreshTokenExample })
  refreshToken!: string;
}

/** Request body that switches to another account. */
export class SwitchRequest {
  @Text({ max: 64, description: 'An account that the user is in.', example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP' })
  accountId!: string;
}

/** The tokens of a session. */
export class TokensResponse {
  @ApiProperty({ description: 'Send it as `Authorization: Bearer …`. It names the user and the active account.' })
  accessToken!: string;

  @ApiProperty({ description: 'Works once. Exchange it for the next pair of tokens.', example: refreshTokenExample })
  refreshToken!: string;

  @ApiProperty({ type: String, enum: ['Bearer'], example: 'Bearer' })
  tokenType!: 'Bearer';

  @ApiProperty({ type: 'integer', description: 'Lifetime of the access token in seconds.', example: 900 })
  expiresIn!: number;

  @ApiProperty({ description: 'The active account.', example: 'acc_4fzTm0Jd8xYc2LqWvB7RkP' })
  accountId!: string;
}
