import { Logger } from '@nestjs/common';
import { DecryptionFailed, type SecretBox, UnknownMasterKey } from './secret-box.js';

/** The decrypted private key, or the reason why it cannot be decrypted, worded as the end of a sentence. */
export type OpenedKey = { readonly privateKeyPem: string } | { readonly problem: string };

/** The decrypted secret, or the reason why it cannot be decrypted, worded as the end of a sentence. */
export type OpenedSecret = { readonly secret: string } | { readonly problem: string };

/**
 * Encrypts private keys and other secrets for the database, and decrypts them. The class is also its injection token.
 */
export class EncryptedSecrets {
  private readonly logger = new Logger('EncryptedSecrets');
  private readonly reported = new Set<string>();

  constructor(private readonly box: SecretBox) {}

  /** Encrypts a secret. @param purpose the kind of secret, such as `apple-certificate` */
  encrypt(accountId: string, purpose: string, secret: string): Buffer {
    return this.box.encrypt(secret, { accountId, purpose });
  }

  /** Decrypts a private key, as `openSecret` does. */
  open(accountId: string, purpose: string, encrypted: Buffer): OpenedKey {
    const opened = this.openSecret(accountId, purpose, encrypted);
    return 'problem' in opened ? opened : { privateKeyPem: opened.secret };
  }

  /**
   * Decrypts a secret. Never throws when the secret or the master keys are wrong; logs each such error once and
   * returns it in `problem`.
   */
  openSecret(accountId: string, purpose: string, encrypted: Buffer): OpenedSecret {
    try {
      return { secret: this.box.open(encrypted, { accountId, purpose }).toString() };
    } catch (error) {
      if (!(error instanceof UnknownMasterKey) && !(error instanceof DecryptionFailed)) throw error;
      this.report(accountId, purpose, error);
      return {
        problem:
          error instanceof UnknownMasterKey
            ? `is encrypted under the master key "${error.keyId}", which this service does not have any more`
            : 'cannot be opened: what is stored of it was changed, or its master key is another one of the same name',
      };
    }
  }

  private report(accountId: string, purpose: string, { message }: Error): void {
    const line = `The secret (${purpose}) of ${accountId} cannot be used: ${message}`;
    if (this.reported.has(line)) return;
    this.reported.add(line);
    this.logger.error(line);
  }
}
