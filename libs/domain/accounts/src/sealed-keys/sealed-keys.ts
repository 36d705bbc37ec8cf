import { Injectable, Logger } from '@nestjs/common';
import { SealBroken, SecretBox, UnknownMasterKey } from '@passwright/core';

/** What a private key is kept for, or the secret that webhooks sign with. */
export type KeyPurpose =
  'apple-certificate' | 'apple-certificate-request' | 'google-service-account' | 'webhook-secret' | 'encryption-key';

/** A private key opened, or why it cannot be: the end of a sentence. */
export type OpenedKey = { readonly privateKeyPem: string } | { readonly problem: string };

/** A secret opened, or why it cannot be: the end of a sentence. */
export type OpenedSecret = { readonly secret: string } | { readonly problem: string };

/** Seals private keys and other secrets for the database, and opens them. */
@Injectable()
export class SealedKeys {
  private readonly logger = new Logger('SealedKeys');
  private readonly reported = new Set<string>();

  constructor(private readonly box: SecretBox) {}

  seal(accountId: string, purpose: KeyPurpose, secret: string): Buffer {
    return this.box.seal(secret, { accountId, purpose });
  }

  /** As `openSecret`, of a private key. */
  open(accountId: string, purpose: KeyPurpose, sealed: Buffer): OpenedKey {
    const opened = this.openSecret(accountId, purpose, sealed);
    return 'problem' in opened ? opened : { privateKeyPem: opened.secret };
  }

  /** Never throws for what is wrong with the secret or the master keys: that is logged, once, and said in `problem`. */
  openSecret(accountId: string, purpose: KeyPurpose, sealed: Buffer): OpenedSecret {
    try {
      return { secret: this.box.open(sealed, { accountId, purpose }).toString() };
    } catch (error) {
      if (!(error instanceof UnknownMasterKey) && !(error instanceof SealBroken)) throw error;
      this.report(accountId, purpose, error);
      return {
        problem:
          error instanceof UnknownMasterKey
            ? `is sealed under the master key "${error.keyId}", which this service does not have any more`
            : 'cannot be opened: what is stored of it was changed, or its master key is another one of the same name',
      };
    }
  }

  private report(accountId: string, purpose: KeyPurpose, { message }: Error): void {
    const line = `The secret (${purpose}) of ${accountId} cannot be used: ${message}`;
    if (this.reported.has(line)) return;
    this.reported.add(line);
    this.logger.error(line);
  }
}
