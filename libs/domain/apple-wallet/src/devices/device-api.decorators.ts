import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '@passwright/core';
import { maxIdentifierLength } from './device-request.js';
import { PassTokenRejected } from '../packages/authentication-token.js';

/** Documents a route that a device calls with the pass's token. */
export function ApiPassToken(): MethodDecorator {
  return applyDecorators(ApiSecurity('passToken'), ApiErrors(PassTokenRejected));
}

/** Documents the device and the pass type in a path. */
export function ApiDeviceName(): MethodDecorator {
  return applyDecorators(
    ApiParam({
      name: 'deviceLibraryIdentifier',
      schema: { type: 'string', maxLength: maxIdentifierLength, example: 'b33e3a3dccb3030333e3333da33333a3' },
      description: 'The identifier that the device chose for itself. Treat it as a secret.',
    }),
    ApiPassType(),
  );
}

/** Documents the pass type in a path. */
export function ApiPassType(): MethodDecorator {
  return ApiParam({
    name: 'passTypeIdentifier',
    description: "The pass type of the account's certificate, as in the pass.",
    example: 'pass.dev.passwright',
  });
}

/** Documents the serial number in a path. */
export function ApiSerialNumber(): MethodDecorator {
  return ApiParam({
    name: 'serialNumber',
    description: 'The serial number, as in the pass.',
    example: '4fQz8LwXk2bN0aVtYc7mRd',
  });
}

/** Documents the conditional headers of a read. */
export function ApiConditions(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Modified-Since',
      required: false,
      description: 'The `Last-Modified` of the package that you have.',
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of the package that you have. Takes precedence over `If-Modified-Since`.',
    }),
  );
}
