import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam, ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '@passwright/core';
import { PassTokenRefused } from './pass-token.js';

/** Documents a route that a device calls with the token of the pass. */
export function ApiPassToken(): MethodDecorator {
  return applyDecorators(ApiSecurity('passToken'), ApiErrors(PassTokenRefused));
}

/** Documents the device and the pass type in a path. */
export function ApiDeviceName(): MethodDecorator {
  return applyDecorators(
    ApiParam({
      name: 'deviceLibraryIdentifier',
      description: "The device's own name for itself: opaque, a secret between it and the service.",
      example: 'b33e3a3dccb3030333e3333da33333a3',
    }),
    ApiPassType(),
  );
}

/** Documents the pass type in a path. */
export function ApiPassType(): MethodDecorator {
  return ApiParam({
    name: 'passTypeIdentifier',
    description: "As in the pass: that of the account's certificate.",
    example: 'pass.dev.passwright',
  });
}

/** Documents the serial number in a path. */
export function ApiSerialNumber(): MethodDecorator {
  return ApiParam({ name: 'serialNumber', description: 'As in the pass.', example: '4fQz8LwXk2bN0aVtYc7mRd' });
}

/** Documents the conditions of a read. */
export function ApiConditions(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Modified-Since',
      required: false,
      description: 'The `Last-Modified` of the package you have.',
    }),
    ApiHeader({ name: 'If-None-Match', required: false, description: 'Its `ETag`; counts more.' }),
  );
}
