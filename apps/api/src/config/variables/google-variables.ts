import { z } from 'zod';
import { httpUrl, serviceAccountKey } from './variable-forms.js';

/** The variables of Google Wallet. */
export const googleVariables = {
  GOOGLE_ISSUER_ID: {
    schema: z
      .string()
      .regex(/^\d{10,20}$/, 'must be the 10 to 20 digits that the Google Pay & Wallet console shows')
      .optional(),
    about:
      'Issuer of Google Wallet passes for accounts without their own. Without it, save links only show the pass, ' +
      'and nothing is written to Google.',
    example: '3388000000012345678',
  },
  GOOGLE_SERVICE_ACCOUNT: {
    schema: serviceAccountKey,
    about:
      "The issuer's service account: the JSON of the key file, or its base64. Invite its e-mail in the Google Pay & " +
      'Wallet console as a user with access level Developer. Or GOOGLE_SERVICE_ACCOUNT_FILE.',
    example: 'eyJ0eXBlIjoic2VydmljZV9hY2NvdW50IiwiY2xpZW50X2VtYWlsIjoi…',
  },
  GOOGLE_WALLET_URL: {
    schema: httpUrl,
    about: "Google Wallet's REST API, for your own tests. Default: https://walletobjects.googleapis.com.",
    example: 'https://walletobjects.googleapis.com',
  },
  GOOGLE_TOKEN_URL: {
    schema: httpUrl,
    about:
      "Address from which service accounts get their tokens. Default: the key file's token_uri for " +
      'GOOGLE_SERVICE_ACCOUNT, else https://oauth2.googleapis.com/token.',
    example: 'https://oauth2.googleapis.com/token',
  },
  GOOGLE_SAVE_URL: {
    schema: httpUrl,
    about: 'Beginning of save links. Default: https://pay.google.com/gp/v/save.',
    example: 'https://pay.google.com/gp/v/save',
  },
  GOOGLE_CALLBACK_KEYS_URL: {
    schema: httpUrl,
    about: "Public keys that verify Google's callbacks. Default: https://pay.google.com/gp/m/issuer/keys.",
    example: 'https://pay.google.com/gp/m/issuer/keys',
  },
} as const;
