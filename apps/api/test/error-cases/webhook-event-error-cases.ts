import type { ErrorCase } from './device-error-cases.js';
import type { Account } from '../support/running-service.js';

/** Returns the error cases of fetching events. */
export function webhookEventErrorCases({ account }: { readonly account: () => Account }): ErrorCase[] {
  const path = '/v1/webhooks/none/events';
  return [
    ['listWebhookEvents', '400 validation_failed', 'the wait is over 30 s', () => account().get(`${path}?wait=31`)],
    ['listWebhookEvents', '404 not_found', 'there is no such webhook', () => account().get(path)],
  ];
}
