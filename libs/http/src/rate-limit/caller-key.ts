import { clientAddress, type AuthenticatedRequest } from '@passwright/core';
import type { Request } from 'express';

/** Whom a request counts for: the API key or user, else the address. */
export function callerKey({ principal, ip }: Pick<Request, 'ip'> & AuthenticatedRequest): string {
  return principal ? `${principal.kind}:${principal.id}` : `address:${clientAddress(ip)}`;
}
