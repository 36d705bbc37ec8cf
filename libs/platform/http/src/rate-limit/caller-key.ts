import { clientAddress, type AuthenticatedRequest } from '@passwright/core';
import type { Request } from 'express';

/** Returns the key that a request counts by: the founder of its account, however many accounts, keys and users, else the address. */
export function callerKey({ principal, share, ip }: Pick<Request, 'ip'> & AuthenticatedRequest): string {
  return principal ? `account:${share ?? principal.accountId}` : `address:${clientAddress(ip)}`;
}
