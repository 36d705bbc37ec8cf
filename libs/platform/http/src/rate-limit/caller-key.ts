import { clientAddress, type AuthenticatedRequest } from '@passwright/core';
import type { Request } from 'express';

/** The keys of requests, because Express parses the proxies' header at each access to `request.ip`. */
const addresses = new WeakMap<Pick<Request, 'ip'>, string>();

/** Returns the key that a request counts under: the founder of its account, or its address if it has no caller. */
export function callerKey(request: Pick<Request, 'ip'> & AuthenticatedRequest): string {
  const { principal, share } = request;
  return principal ? `account:${share ?? principal.accountId}` : addressKey(request);
}

/** Returns the key of a request that counts under its address. */
export function addressKey(request: Pick<Request, 'ip'>): string {
  const known = addresses.get(request);
  if (known !== undefined) return known;
  const key = `address:${clientAddress(request.ip)}`;
  addresses.set(request, key);
  return key;
}
