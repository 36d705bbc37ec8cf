import { z } from 'zod';
import { appleCertificateVariables, applePushVariables } from './apple-variables.js';
import { databaseVariables } from './database-variables.js';
import { parseMasterKeys } from './master-keys.js';
import { httpVariables } from './http-variables.js';
import { mailVariables } from './mail-variables.js';
import { signInVariables } from './sign-in-variables.js';
import { googleVariables } from './google-variables.js';
import { oidcVariables } from './oidc-variables.js';
import { processVariables } from './process-variables.js';
import { retentionVariables } from './retention-variables.js';
import { storageVariables } from './storage-variables.js';
import { tracingVariables } from './tracing-variables.js';
import { hosts, httpsUrls, secretLength, wholeNumber, languageTag, webhookSecrets } from './variable-forms.js';

/** An environment variable: its schema, its purpose, and a valid example. */
interface Variable {
  readonly schema: z.ZodType;
  readonly about: string;
  readonly example: string;
}

/** Every variable that the service reads. `.env.example` is generated from this table. */
export const variables = {
  NODE_ENV: {
    schema: z
      .enum(['development', 'production', 'test'], 'must be development, production or test')
      .default('development'),
    about: 'In production the service generates no secrets and needs yours. Default: development.',
    example: 'production',
  },
  ...httpVariables,
  DATA_DIR: {
    schema: z.string().min(1).default('./data'),
    about: 'Folder for the embedded Postgres, images, and development secrets and certificates. Default: ./data.',
    example: '/var/lib/passwright',
  },
  ...databaseVariables,
  ...processVariables,
  ...signInVariables,
  PASS_TOKEN_SECRET: {
    schema: secretLength,
    about:
      'Every installed pass contains a token derived from it: never change it. Required in production. Or PASS_TOKEN_SECRET_FILE.',
    example: 'Zk5t8w1r4u7x0A3D6G9J2M5P8S1V4Y7b0e3h6k9n2q5=',
  },
  MASTER_KEYS: {
    schema: z
      .string()
      .refine(
        (text) => parseMasterKeys(text) !== null,
        'must be id:key pairs with commas between, each key 32 bytes in base64',
      )
      .optional(),
    about:
      'Keys that encrypt private keys and personal data: the first encrypts, all of them decrypt. To replace one, ' +
      'put the new one first and restart. Remove the old one when the log says so, about a day later. Required in ' +
      'production. Or MASTER_KEYS_FILE.',
    example: '2026:Y2hhbmdlIG1lIQ5kFbC8u2m0c3JvdGF0ZSBtZSAhISE=',
  },
  PERSONAL_DATA: {
    schema: z.enum(['encrypted', 'clear'], 'must be encrypted or clear').default('encrypted'),
    about:
      "Names, e-mail addresses and members' data are encrypted under MASTER_KEYS; existing data too, in the " +
      'background. Nodes of version 0.1 cannot read that. With several nodes, first update all of them with ' +
      '"clear", then remove this variable. Default: encrypted.',
    example: 'encrypted',
  },
  ...retentionVariables,
  ...oidcVariables,
  IMAGE_HOSTS_ALLOWED: {
    schema: hosts,
    about: 'Private hosts (host or host:port, comma-separated) from which images may be fetched.',
    example: 'assets.internal:8080',
  },
  WEBHOOK_HOSTS_ALLOWED: {
    schema: hosts,
    about: 'Private hosts (host or host:port, comma-separated) that webhooks may call, also over http.',
    example: 'crm.internal:8443',
  },
  ...storageVariables,
  PACKAGE_CACHE_MIB: {
    schema: wholeNumber(1, 65_536).default(256),
    about: 'Memory for the prepared images of templates in use, in MiB. Default: 256.',
    example: '256',
  },
  ...appleCertificateVariables,
  ...mailVariables,
  DEVICES_PER_PASS: {
    schema: wholeNumber(1, 100_000).default(100),
    about:
      'Maximum number of devices that get updates of one pass; the device that was silent longest is dropped first. Default: 100.',
    example: '100',
  },
  ...applePushVariables,
  CONTENT_LANGUAGE: {
    schema: languageTag.default('en'),
    about: 'Language of the texts in templates and passes, which Google Wallet needs. Default: en.',
    example: 'de',
  },
  WALLET_BADGES: {
    schema: z.string().min(1).optional(),
    about:
      "Folder with the platforms' button artwork: apple-en.svg, google-en.svg, and the same for other languages. " +
      'Default: none; the buttons have words.',
    example: '/etc/passwright/badges',
  },
  ...googleVariables,
  STRIPE_WEBHOOK_SECRET: {
    schema: webhookSecrets,
    about:
      'Signing secret of the Stripe webhook that calls BASE_URL/v1/payments/webhook; separate several with commas ' +
      'while you replace one. Unset: the webhook returns 404. Or STRIPE_WEBHOOK_SECRET_FILE.',
    example: 'whsec_5f1c0c3a2b7e4d8f9a6b1c2d3e4f5a6b',
  },
  MCP_AUTHORIZATION_SERVERS: {
    schema: httpsUrls,
    about:
      'Authorization servers (https addresses, comma-separated) announced to agents. Their tokens are not accepted ' +
      'yet: agents use an API key. Default: none.',
    example: 'https://login.example.com',
  },
  METRICS_TOKEN: {
    schema: secretLength,
    about:
      'Bearer token for scrapers of /metrics. Unset: open to all in development, closed in production. ' +
      'Or METRICS_TOKEN_FILE.',
    example: 'q2W8e5R1t7Y4u0I3o6P9a2S5d8F1g4H7j0K3l6Z9x2C=',
  },
  LOG_LEVEL: {
    schema: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'must be fatal, error, warn, info, debug or silent')
      .default('info'),
    about: 'Lowest level of the log. Default: info.',
    example: 'info',
  },
  LOG_FORMAT: {
    schema: z.enum(['json', 'text'], 'must be json or text').optional(),
    about:
      'Format of the log: json, or text for a person. Text also shows the paths of requests and the reasons of errors. ' +
      'Default: text at a terminal in development, otherwise json.',
    example: 'json',
  },
  ...tracingVariables,
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof variables;

/** The parsed value of each variable. */
export type Values = { readonly [Name in VariableName]: z.output<(typeof variables)[Name]['schema']> };

/** The variables that may come from a file. `NAME_FILE` is its path. */
export const fileVariables = [
  'ACCESS_TOKEN_SECRET',
  'PASS_TOKEN_SECRET',
  'MASTER_KEYS',
  'APPLE_CERTIFICATE',
  'APPLE_PRIVATE_KEY',
  'APPLE_PRIVATE_KEY_PASSPHRASE',
  'APPLE_INTERMEDIATE',
  'APPLE_PUSH_CA',
  'GOOGLE_SERVICE_ACCOUNT',
  'SMTP_URL',
  'OIDC_CLIENT_SECRET',
  'STRIPE_WEBHOOK_SECRET',
  'METRICS_TOKEN',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_SESSION_TOKEN',
] as const satisfies readonly VariableName[];

/** Builds the text of `.env.example`. */
export function envExample(): string {
  const entries = Object.entries(variables).map(([name, { about, example }]) => `# ${about}\n# ${name}=${example}\n`);
  return ['# Copy to .env and uncomment what you need. Nothing is required in development.\n', ...entries].join('\n');
}
