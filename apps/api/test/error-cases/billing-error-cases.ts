import { PaymentProvider } from '@passwright/core';
import type { ErrorCase } from './device-error-cases.js';
import type { ApiResponse, RunningService } from '../support/running-service.js';

/** Returns the error cases of the payment provider's webhook. */
export function billingErrorCases({ service }: { readonly service: () => RunningService }): ErrorCase[] {
  const call = (body: object = {}, headers: Record<string, string> = {}) =>
    service().request('POST', '/v1/payments/webhook', { body, headers });
  const configured = (send: () => Promise<ApiResponse>) => async () => {
    const provider = service().app.get(PaymentProvider);
    const isConfigured = jest.replaceProperty(provider, 'isConfigured', true);
    return send().finally(() => isConfigured.restore());
  };
  return [
    ['receivePaymentEvent', '401 unauthorized', 'the event is unsigned', configured(() => call())],
    ['receivePaymentEvent', '404 not_found', 'no payment provider is configured', () => call()],
    ['receivePaymentEvent', '413 payload_too_large', 'the body is over 1 MiB', () => call({ id: 'x'.repeat(2 ** 20) })],
    [
      'receivePaymentEvent',
      '415 unsupported_media_type',
      'the encoding is not known',
      () => call({}, { 'Content-Encoding': 'zstd' }),
    ],
  ];
}
