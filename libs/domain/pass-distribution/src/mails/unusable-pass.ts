import type { IssuedPass } from '@passwright/passes';
import { passState } from '@passwright/wallet-renderers';

/** Returns why the holder cannot use a pass, as the end of a sentence; null if the pass can be used now or later. */
export function unusableBecause(issued: IssuedPass, now: Date): string | null {
  const { pass, archivedAt } = issued;
  const at = (date: Date | null) => date?.toISOString() ?? '';
  switch (passState(issued, pass, now)) {
    case 'voided':
      return archivedAt
        ? `is void, as template "${pass.templateId}" is archived`
        : `was voided at ${at(pass.voidedAt)}`;
    case 'redeemed':
      return `was redeemed at ${at(pass.redeemedAt)}`;
    case 'expired':
      return `expired at ${at(pass.expiresAt)}`;
    case 'not_yet_valid':
    case 'valid':
      return null;
  }
}
