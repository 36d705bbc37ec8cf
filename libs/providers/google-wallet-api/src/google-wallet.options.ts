/** The operator's service account, which writes the passes of all accounts that have none of their own. */
export interface OperatorServiceAccount {
  readonly kind: 'operator';
  readonly issuerId: string;
  readonly clientEmail: string;
  /** A PEM-encoded RSA key in PKCS#8 form. */
  readonly privateKeyPem: string;
  readonly privateKeyId?: string;
  /** The key file's `token_uri`. It applies if `tokenUrl` is null. */
  readonly tokenUri?: string;
}

/**
 * A service account that Google does not know, created in `dir` at first use. Passwright then writes nothing to Google.
 */
export interface DevelopmentServiceAccount {
  readonly kind: 'development';
  readonly dir: string;
}

/** The options of `GoogleWalletApiModule.forRoot`. Null addresses mean Google's own. */
export abstract class GoogleWalletApiOptions {
  abstract readonly serviceAccount: OperatorServiceAccount | DevelopmentServiceAccount;
  /**
   * The service account of test accounts if `serviceAccount` is the operator's. If omitted, test accounts have no save
   * links.
   */
  readonly testServiceAccount?: DevelopmentServiceAccount;
  /** The REST API without a path, for example `https://walletobjects.googleapis.com`. */
  abstract readonly apiUrl: string | null;
  /** The token endpoint, for example `https://oauth2.googleapis.com/token`. */
  abstract readonly tokenUrl: string | null;
  /** The start of save links, before the slash and the JWT: `https://pay.google.com/gp/v/save`. */
  abstract readonly saveUrl: string | null;
  /** Google's public keys, which verify its callbacks: `https://pay.google.com/gp/m/issuer/keys`. */
  abstract readonly callbackKeysUrl: string | null;
}

/** Google's own addresses. */
export const googleUrls = {
  apiUrl: 'https://walletobjects.googleapis.com',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  saveUrl: 'https://pay.google.com/gp/v/save',
  callbackKeysUrl: 'https://pay.google.com/gp/m/issuer/keys',
} as const;
