import { join } from 'node:path';
import type { ApplePushOptions } from '@passwright/apple-push';
import type { GoogleWalletApiOptions } from '@passwright/google-wallet-api';
import type { MailerOptions } from '@passwright/mailer';
import type { PaymentsOptions } from '@passwright/payments';
import { appleWwdrG4, type SignerOptions } from '@passwright/signer';
import type { Values } from './variables/variables.js';

/** The configuration of the providers of `libs/providers`, except the storage. */
export interface ProvidersConfig {
  readonly signer: SignerOptions;
  readonly applePush: ApplePushOptions;
  readonly googleWalletApi: GoogleWalletApiOptions;
  readonly mailer: MailerOptions;
  readonly payments: PaymentsOptions;
}

export function providersConfig(values: Values, dataDir: string): ProvidersConfig {
  return {
    signer: signerOptions(values, dataDir),
    applePush: { url: values.APPLE_PUSH_URL ?? null, ca: values.APPLE_PUSH_CA ?? null },
    googleWalletApi: googleWalletApiOptions(values, dataDir),
    mailer: mailerOptions(values, dataDir),
    payments: { stripe: values.STRIPE_WEBHOOK_SECRET ? { webhookSecrets: values.STRIPE_WEBHOOK_SECRET } : null },
  };
}

export function signerOptions(values: Values, dataDir: string): SignerOptions {
  const { APPLE_CERTIFICATE, APPLE_PRIVATE_KEY, APPLE_PRIVATE_KEY_PASSPHRASE, APPLE_INTERMEDIATE } = values;
  const development = { kind: 'development', dir: join(dataDir, 'development-chain') } as const;
  if (!APPLE_CERTIFICATE || !APPLE_PRIVATE_KEY) return { identity: development };
  return {
    testIdentity: development,
    identity: {
      kind: 'certificate',
      certificatePem: APPLE_CERTIFICATE,
      privateKeyPem: APPLE_PRIVATE_KEY,
      passphrase: APPLE_PRIVATE_KEY_PASSPHRASE,
      intermediatePem: APPLE_INTERMEDIATE ?? appleWwdrG4.toString(),
    },
  };
}

export function googleWalletApiOptions(values: Values, dataDir: string): GoogleWalletApiOptions {
  const { GOOGLE_ISSUER_ID, GOOGLE_SERVICE_ACCOUNT } = values;
  const development = { kind: 'development', dir: join(dataDir, 'development-google') } as const;
  return {
    ...(GOOGLE_ISSUER_ID && GOOGLE_SERVICE_ACCOUNT
      ? {
          serviceAccount: { kind: 'operator', issuerId: GOOGLE_ISSUER_ID, ...GOOGLE_SERVICE_ACCOUNT },
          testServiceAccount: development,
        }
      : { serviceAccount: development }),
    apiUrl: values.GOOGLE_WALLET_URL ?? null,
    tokenUrl: values.GOOGLE_TOKEN_URL ?? null,
    saveUrl: values.GOOGLE_SAVE_URL ?? null,
    callbackKeysUrl: values.GOOGLE_CALLBACK_KEYS_URL ?? null,
  };
}

function mailerOptions({ MAIL_FROM, SMTP_URL, NODE_ENV }: Values, dataDir: string): MailerOptions {
  return {
    from: MAIL_FROM ?? 'Passwright <passwright@localhost.invalid>',
    transport: SMTP_URL
      ? { kind: 'smtp', url: SMTP_URL }
      : { kind: 'outbox', dir: join(dataDir, 'outbox'), tells: NODE_ENV !== 'production' },
  };
}
