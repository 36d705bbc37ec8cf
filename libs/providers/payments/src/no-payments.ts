import { PaymentEventRefused, PaymentProvider } from '@passwright/core';

/** Where nobody pays through a provider. */
export class NoPayments extends PaymentProvider {
  override readonly isConfigured = false;

  override read(): Promise<never> {
    return Promise.reject(new PaymentEventRefused('No payment provider is configured'));
  }
}
