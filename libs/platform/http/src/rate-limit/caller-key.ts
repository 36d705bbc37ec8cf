import { clientAddress, type AuthenticatedRequest } from '@passwright/core';
import type { Request } from 'express';

/** Returns the key that a request counts under: the founder of its account, or the address if there is no caller. */
export function callerKey({ principal, share, ip }: Pick<Request, 'ip'> & AuthenticatedRequest): string {
  return principal ? `account:${share ?? principal.accountId}` : `address:${clientAddress(ip)}`;
}
