import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptedSecrets, type OpenedSecret } from '@passwright/core';
import type { Webhook } from './webhook.entity.js';

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = 32;
const purpose = 'webhook-secret';

/** A webhook with what it signs with. */
export type SealedSecrets = Pick<Webhook, 'accountId' | 'secret' | 'previousSecret' | 'previousSecretUntil'>;

/** What a message is signed with, or why it cannot be: a sentence. */
export type SigningSecrets = { readonly secrets: readonly string[] } | { readonly problem: string };

/** Makes the secrets that webhooks sign with, and keeps them sealed. */
@Injectable()
export class WebhookSecretsService {
  constructor(private readonly keys: EncryptedSecrets) {}

  /** `whsec_` and base64, as Standard Webhooks writes them. */
  create(): string {
    return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  }

  seal(accountId: string, secret: string): Buffer {
    return this.keys.seal(accountId, purpose, secret);
  }

  /** Whether there is a secret that could still sign. */
  isUsable({ accountId, secret }: Pick<Webhook, 'accountId' | 'secret'>): boolean {
    return 'secret' in this.open(accountId, secret);
  }

  /** The present one, then the one before it while that signs as well. */
  signing({ accountId, secret, previousSecret, previousSecretUntil }: SealedSecrets, now: Date): SigningSecrets {
    const current = this.open(accountId, secret);
    if ('problem' in current) {
      return { problem: `Its secret ${current.problem}: POST …/rotate gives it another one.` };
    }
    const isInUse = previousSecret && previousSecretUntil && previousSecretUntil > now;
    const previous = isInUse ? this.open(accountId, previousSecret) : null;
    return { secrets: [current.secret, ...(previous && 'secret' in previous ? [previous.secret] : [])] };
  }

  private open(accountId: string, sealed: Buffer): OpenedSecret {
    return this.keys.openSecret(accountId, purpose, sealed);
  }
}
