import { z } from 'zod';
import { secretLength, wholeNumber } from './variable-forms.js';

/** The variables of registration and sign-in. */
export const signInVariables = {
  REGISTRATION: {
    schema: z.enum(['open', 'closed'], 'must be open or closed').optional(),
    about:
      'open: anyone may register an account. closed: only invited people may. Default: open in development, closed in production.',
    example: 'open',
  },
  ACCESS_TOKEN_SECRET: {
    schema: secretLength,
    about: 'Signs access tokens; changing it signs all users out. Required in production. Or ACCESS_TOKEN_SECRET_FILE.',
    example: 'hJ3rY0nq0z1w6m0Qf7m3hQ0m7u2s5x8v1c4b7n0k3j6=',
  },
  ACCESS_TOKEN_TTL_SECONDS: {
    schema: wholeNumber(60, 86_400).default(900),
    about: 'Lifetime of an access token in seconds. Default: 900.',
    example: '900',
  },
  REFRESH_TOKEN_TTL_SECONDS: {
    schema: wholeNumber(3600, 31_536_000).default(2_592_000),
    about: 'Lifetime in seconds of a session that is not refreshed. Default: 2592000 (30 days).',
    example: '2592000',
  },
  ACCOUNTS_PER_FOUNDER: {
    schema: wholeNumber(1, 100).default(20),
    about: 'Maximum number of accounts that a user can create. Default: 20.',
    example: '20',
  },
};
