import { PaymentEventRejected, PaymentProvider } from '@passwright/core';

/** The payment provider for services without payments. */
export class NoPayments extends PaymentProvider {
  override readonly isConfigured = false;

  override read(): Promise<never> {
    return Promise.reject(new PaymentEventRejected('No payment provider is configured'));
  }
}
