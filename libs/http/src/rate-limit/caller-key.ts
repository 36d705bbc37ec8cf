import { clientAddress, type AuthenticatedRequest } from '@passwright/core';
import type { Request } from 'express';

/** Whom a request counts for: the account, however many keys and users it has, else the address. */
export function callerKey({ principal, ip }: Pick<Request, 'ip'> & AuthenticatedRequest): string {
  return principal ? `account:${principal.accountId}` : `address:${clientAddress(ip)}`;
}
