import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { PassAddress } from './pass-address.js';

/**
 * Injects the address of the pass in a path with `:accountId/:templateId/:passId`. Nest takes half the time for one
 * parameter that it takes for three.
 */
export const PublicPassAddress = createParamDecorator((_: unknown, context: ExecutionContext): PassAddress => {
  const { accountId, templateId, passId } = context.switchToHttp().getRequest<{ params: PassAddress }>().params;
  return { accountId, templateId, passId };
});
