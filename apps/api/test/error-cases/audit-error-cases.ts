import type { ErrorCase } from './device-error-cases.js';
import type { Account } from '../support/running-service.js';

/** Returns the error cases of the audit trail. */
export function auditErrorCases({ account }: { readonly account: () => Account }): ErrorCase[] {
  return [
    [
      'listAccountEvents',
      '400 validation_failed',
      'the target has no kind',
      () => account().get('/v1/account/events?target=:summer'),
    ],
  ];
}
