import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiResponse } from '@nestjs/swagger';
import { PassWithLinks } from './pass.dto.js';

/** Documents `templateId` in a path. */
export function ApiTemplateId(): MethodDecorator {
  return ApiParam({ name: 'templateId', description: "The template's id.", example: 'summer-sale' });
}

/** Documents `templateId` and `passId` in a path. */
export function ApiPassAddress(): MethodDecorator {
  return applyDecorators(
    ApiTemplateId(),
    ApiParam({ name: 'passId', description: "The pass's id, unique in its template.", example: 'ada' }),
  );
}

/** Documents the path of a public route, which names the account too. */
export function ApiPublicPassAddress(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'accountId', description: 'The account.', example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' }),
    ApiPassAddress(),
  );
}

/** Documents an answer for one pass. */
export function ApiPassAnswer(
  status: 200 | 201,
  description: string,
  type: typeof PassWithLinks = PassWithLinks,
): MethodDecorator {
  return ApiResponse({
    status,
    description,
    type,
    headers: {
      ETag: { description: 'Names this version of the pass.', schema: { type: 'string' } },
      'Passwright-Signing': {
        description: '`development` when the package behind `walletAUrl` is not signed for real devices.',
        schema: { type: 'string' },
      },
    },
  });
}
