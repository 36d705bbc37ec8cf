import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiResponse } from '@nestjs/swagger';
import { MemberResponse } from './member.dto.js';

/** Documents the path parameter `memberId`. */
export function ApiMemberId(): MethodDecorator {
  const schema = { type: 'integer', minimum: 1, example: 1 } as const;
  return ApiParam({ name: 'memberId', description: 'The id of the member within the account.', schema });
}

/** Documents a response with one member. */
export function ApiMemberBody(status: 200 | 201, description: string): MethodDecorator {
  return applyDecorators(
    ApiResponse({
      status,
      description,
      type: MemberResponse,
      headers: {
        ETag: { description: 'The version of the member.', schema: { type: 'string' } },
        'Passwright-Signing': {
          description: '`development` if real devices reject the package behind `walletAUrl`.',
          schema: { type: 'string' },
        },
      },
    }),
  );
}
