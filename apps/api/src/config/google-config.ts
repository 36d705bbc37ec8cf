import { join } from 'node:path';
import { type GoogleWalletApiOptions, toCredential } from '@passwright/google-wallet-api';
import { variables, type Values } from './variables/variables.js';

/** Selects the operator's service account, or a development key when none is set. */
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

export function missingForGoogle(environment: Readonly<Record<string, string | undefined>>): string[] {
  const google = ['GOOGLE_ISSUER_ID', 'GOOGLE_SERVICE_ACCOUNT'] as const;
  const absent = google.filter((name) => !environment[name]);
  if (absent.length === google.length) return [];
  return absent.map((name) => `${name} is missing; for example ${name}=${variables[name].example}`);
}

/** Reports a key that can never sign. Only Google can tell whether it knows the key. */
export function serviceAccountProblems(values: Values): string[] {
  const { serviceAccount } = googleWalletApiOptions(values, '');
  if (serviceAccount.kind === 'development') return [];
  try {
    toCredential(serviceAccount, '');
    return [];
  } catch (error) {
    return [`GOOGLE_SERVICE_ACCOUNT: ${(error as Error).message}`];
  }
}
