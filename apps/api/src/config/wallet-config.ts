import { join } from 'node:path';
import type { GoogleWalletApiOptions } from '@passwright/google-wallet-api';
import { appleWwdrG4, type SignerOptions } from '@passwright/signer';
import type { Values } from './variables.js';

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
