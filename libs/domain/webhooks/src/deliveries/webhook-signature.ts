import { Webhook } from 'standardwebhooks';

/** The message to send. Its bytes are the same at each attempt. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

/** Signs a message with each of the secrets (Standard Webhooks). @returns the headers that a receiver verifies */
export function signedHeaders({ id, body }: WebhookMessage, secrets: readonly string[], at: Date) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
