import type { ApplePushOptions } from '@passwright/apple-push';
import type { GoogleWalletApiOptions } from '@passwright/google-wallet-api';
import type { MailerOptions } from '@passwright/mailer';
import type { PaymentsOptions } from '@passwright/payments';
import type { SignerOptions } from '@passwright/signer';
import { applePushOptions, signerOptions } from './apple-config.js';
import { googleWalletApiOptions } from './google-config.js';
import { mailerOptions } from './mail-config.js';
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
    applePush: applePushOptions(values),
    googleWalletApi: googleWalletApiOptions(values, dataDir),
    mailer: mailerOptions(values, dataDir),
    payments: { stripe: values.STRIPE_WEBHOOK_SECRET ? { webhookSecrets: values.STRIPE_WEBHOOK_SECRET } : null },
  };
}
