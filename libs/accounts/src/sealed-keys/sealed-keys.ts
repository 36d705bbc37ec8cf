import { Injectable, Logger } from '@nestjs/common';
import { SealBroken, SecretBox, UnknownMasterKey } from '@passwright/core';

/** What a private key is kept for. */
export type KeyPurpose = 'apple-certificate' | 'apple-certificate-request' | 'google-service-account';

/** A private key opened, or why it cannot be: the end of a sentence. */
export type OpenedKey = { readonly privateKeyPem: string } | { readonly problem: string };

/** Seals private keys for the database, and opens them. */
@Injectable()
export class SealedKeys {
  private readonly logger = new Logger('SealedKeys');
  private readonly reported = new Set<string>();

  constructor(private readonly box: SecretBox) {}

  seal(accountId: string, purpose: KeyPurpose, privateKeyPem: string): Buffer {
    return this.box.seal(privateKeyPem, { accountId, purpose });
  }

  /** Never throws for what is wrong with the key or the master keys: that is logged, once, and said in `problem`. */
  open(accountId: string, purpose: KeyPurpose, sealed: Buffer): OpenedKey {
    try {
      return { privateKeyPem: this.box.open(sealed, { accountId, purpose }).toString() };
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
    const line = `The private key (${purpose}) of ${accountId} cannot be used: ${message}`;
    if (this.reported.has(line)) return;
    this.reported.add(line);
    this.logger.error(line);
  }
}
