import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptedSecrets, type OpenedSecret } from '@passwright/core';
import type { Webhook } from './webhook.entity.js';

/** The size of new secrets. Standard Webhooks requires 24 to 64 random bytes. */
const SECRET_BYTES = 32;
const purpose = 'webhook-secret';

export type EncryptedSigningSecrets = Pick<Webhook, 'accountId' | 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** The secrets that sign a message, or a sentence that explains why there are none. */
export type SigningSecrets = { readonly secrets: readonly string[] } | { readonly problem: string };

/** Creates the signing secrets of webhooks, and encrypts them for storage. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly keys: EncryptedSecrets) {}

  /** Creates a secret in the format of Standard Webhooks: `whsec_` and base64. */
  create(): string {
    return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  }

  encrypt(accountId: string, secret: string): Buffer {
    return this.keys.encrypt(accountId, purpose, secret);
  }

  /** Returns true if the webhook's secret can be decrypted. */
  isUsable({ accountId, secret }: Pick<Webhook, 'accountId' | 'secret'>): boolean {
    return 'secret' in this.open(accountId, secret);
  }

  /** Returns the current secret, and also the previous secret while it is valid. */
  signing(
    { accountId, secret, previousSecret, previousSecretUntil }: EncryptedSigningSecrets,
    now: Date,
  ): SigningSecrets {
    const current = this.open(accountId, secret);
    if ('problem' in current) {
      return { problem: `Its secret ${current.problem}: POST …/rotate gives it another one.` };
    }
    const isInUse = previousSecret && previousSecretUntil && previousSecretUntil > now;
    const previous = isInUse ? this.open(accountId, previousSecret) : null;
    return { secrets: [current.secret, ...(previous && 'secret' in previous ? [previous.secret] : [])] };
  }

  private open(accountId: string, encrypted: Buffer): OpenedSecret {
    return this.keys.openSecret(accountId, purpose, encrypted);
  }
}
