/** The operator's service account: it writes the passes of every account that has none of its own. */
export interface OperatorServiceAccount {
  readonly kind: 'operator';
  readonly issuerId: string;
  readonly clientEmail: string;
  /** RSA, PKCS#8. */
  readonly privateKeyPem: string;
  readonly privateKeyId?: string;
  /** The key file's `token_uri`; it counts where `tokenUrl` is null. */
  readonly tokenUri?: string;
}

/** A service account that Google does not know, made in `dir` at first use: nothing is written with it. */
export interface DevelopmentServiceAccount {
  readonly kind: 'development';
  readonly dir: string;
}

/** What `GoogleWalletModule.forRoot` takes. Addresses are null for Google's own. */
export abstract class GoogleWalletOptions {
  abstract readonly serviceAccount: OperatorServiceAccount | DevelopmentServiceAccount;
  /** The REST API, without a path: `https://walletobjects.googleapis.com`. */
  abstract readonly apiUrl: string | null;
  /** Where tokens come from: `https://oauth2.googleapis.com/token`. */
  abstract readonly tokenUrl: string | null;
  /** What save links begin with, before the slash and the JWT: `https://pay.google.com/gp/v/save`. */
  abstract readonly saveUrl: string | null;
  /** Google's public keys, which prove its callbacks: `https://pay.google.com/gp/m/issuer/keys`. */
  abstract readonly callbackKeysUrl: string | null;
}

/** Google's own addresses. */
export const googleUrls = {
  apiUrl: 'https://walletobjects.googleapis.com',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  saveUrl: 'https://pay.google.com/gp/v/save',
  callbackKeysUrl: 'https://pay.google.com/gp/m/issuer/keys',
} as const;
