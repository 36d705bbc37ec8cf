import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { keyNumber } from './ready-made-keys.js';

/** A Google Cloud service account that may act for an issuer. */
export interface TestServiceAccount {
  readonly issuerId: string;
  readonly clientEmail: string;
  /** The PEM-encoded RSA 2048 key in PKCS#8 form. */
  readonly privateKeyPem: string;
  readonly privateKeyId: string;
  /** The text of a Google Cloud key file whose `token_uri` points to the fake. */
  readonly keyFile: string;
}

/** The known service accounts, and the issuers for which each may write. */
export class ServiceAccounts {
  private readonly accounts = new Map<string, TestServiceAccount>();
  private readonly publicKeys = new Map<string, KeyObject>();
  private readonly denied = new Set<string>();

  constructor(private readonly tokenUrl: () => string) {}

  /** Returns the service account with this issuer and name. Creates it at the first call. */
  get(issuerId: string, name: string): TestServiceAccount {
    const clientEmail = `${name}@wallet-${issuerId.slice(-6)}.iam.gserviceaccount.com`;
    const known = this.accounts.get(clientEmail);
    if (known) return known;
    const key = keyNumber(this.accounts.size);
    const publicKey = createPublicKey(key);
    const privateKeyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const privateKeyId = createHash('sha1').update(der).digest('hex');
    const keyFile = this.keyFileOf(clientEmail, privateKeyPem, privateKeyId);
    const account = { issuerId, clientEmail, privateKeyPem, privateKeyId, keyFile };
    this.accounts.set(clientEmail, account);
    this.publicKeys.set(clientEmail, publicKey);
    return account;
  }

  find(clientEmail: unknown): TestServiceAccount | null {
    return this.accounts.get(String(clientEmail)) ?? null;
  }

  /** Returns the public key; null if it was revoked. */
  publicKey({ clientEmail }: TestServiceAccount): KeyObject | null {
    return this.publicKeys.get(clientEmail) ?? null;
  }

  revokeKey(clientEmail: string): void {
    this.publicKeys.delete(clientEmail);
  }

  /** Makes the API reject the issuer's own accounts, or accept them again. */
  setDenied(issuerId: string, denied: boolean): void {
    if (denied) this.denied.add(issuerId);
    else this.denied.delete(issuerId);
  }

  mayWrite(account: TestServiceAccount, issuerId: string): boolean {
    return account.issuerId === issuerId && !this.denied.has(issuerId);
  }

  private keyFileOf(clientEmail: string, privateKey: string, privateKeyId: string): string {
    const file = {
      type: 'service_account',
      project_id: clientEmail.slice(clientEmail.indexOf('@') + 1, clientEmail.indexOf('.')),
      private_key_id: privateKeyId,
      private_key: privateKey,
      client_email: clientEmail,
      client_id: '100000000000000000001',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: this.tokenUrl(),
      universe_domain: 'googleapis.com',
    };
    return JSON.stringify(file, null, 2);
  }
}
