import type { ErrorCase } from './device-error-cases.js';
import type { Account } from '../support/running-service.js';

/** Returns the error cases of exporting and erasing a holder. */
export function privacyErrorCases({ account }: { readonly account: () => Account }): ErrorCase[] {
  const both = { email: 'ada@example.com', templateId: 'offer', passId: 'held' };
  return [
    [
      'exportHolder',
      '400 validation_failed',
      'two holders are named',
      () => account().post('/v1/privacy/export', both),
    ],
    ['eraseHolder', '400 validation_failed', 'two holders are named', () => account().post('/v1/privacy/erase', both)],
  ];
}
