import { applyDecorators } from '@nestjs/common';
import { ApiParam, ApiResponse } from '@nestjs/swagger';
import { PassWithLinks } from '../content/pass-with-links.dto.js';

/** Documents `templateId` in a path. */
export function ApiTemplateId(): MethodDecorator {
  return ApiParam({ name: 'templateId', description: 'The id of the template.', example: 'summer-sale' });
}

/** Documents `templateId` and `passId` in a path. */
export function ApiPassAddress(): MethodDecorator {
  return applyDecorators(
    ApiTemplateId(),
    ApiParam({ name: 'passId', description: 'The id of the pass, unique within its template.', example: 'ada' }),
  );
}

/** Documents the path of a public route, which includes the account. */
export function ApiPublicPassAddress(): MethodDecorator {
  return applyDecorators(
    ApiParam({ name: 'accountId', description: 'The id of the account.', example: 'acc_3kTq9ZbXcVn1MlPoIu7Yt2' }),
    ApiPassAddress(),
  );
}

/** Documents a response with one pass. */
export function ApiPassBody(
  status: 200 | 201,
  description: string,
  type: typeof PassWithLinks = PassWithLinks,
): MethodDecorator {
  return ApiResponse({
    status,
    description,
    type,
    headers: {
      ETag: { description: 'Identifies this version of the pass.', schema: { type: 'string' } },
      'Passwright-Signing': {
        description: '`development` if real devices reject the package behind `walletAUrl`.',
        schema: { type: 'string' },
      },
    },
  });
}
