import { createBodylessParameter } from '@passwright/core';
import type { PassAddress } from './pass-address.js';

/**
 * Injects the address of the pass from a path with `:accountId/:templateId/:passId`. One parameter is faster in Nest
 * than three.
 */
export const PublicPassAddress = createBodylessParameter((_, context): PassAddress => {
  const { accountId, templateId, passId } = context.switchToHttp().getRequest<{ params: PassAddress }>().params;
  return { accountId, templateId, passId };
});
