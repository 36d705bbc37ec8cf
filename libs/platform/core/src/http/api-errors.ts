import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { AppErrorClass } from '../errors/app-error.js';
import { ErrorBody } from '../errors/error-body.js';

const DECLARED_ERRORS = 'passwright:errors';
/** The metadata key under which @nestjs/swagger stores a handler's responses. */
const RESPONSES = 'swagger/apiResponse';

/** Returns the errors that a route handler declares, including those of its access rule. */
export function declaredErrors(handler: object): readonly AppErrorClass[] {
  return (Reflect.getMetadata(DECLARED_ERRORS, handler) as AppErrorClass[] | undefined) ?? [];
}

/**
 * Declares the errors of a route, for OpenAPI and for the tests that check them. May be applied several times; the
 * response of each status lists all its codes.
 */
export function ApiErrors(...errors: AppErrorClass[]): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const all = [...new Map([...declaredErrors(handler), ...errors].map((error) => [error.code, error])).values()];
    Reflect.defineMetadata(DECLARED_ERRORS, all, handler);
    forgetResponses(handler, all);
    const statuses = new Set(all.map((error) => error.statusCode));
    const responses = [...statuses].map((status) =>
      errorResponse(
        status,
        all.filter((e) => e.statusCode === status),
      ),
    );
    applyDecorators(ApiExtraModels(ErrorBody), ...responses)(target, key, descriptor);
  };
}

/** Removes earlier responses of these statuses, because Swagger would append to them. */
function forgetResponses(handler: object, errors: readonly AppErrorClass[]): void {
  const responses = Reflect.getMetadata(RESPONSES, handler) as Record<string, unknown> | undefined;
  const statuses = new Set(errors.map((error) => String(error.statusCode)));
  const others = Object.entries(responses ?? {}).filter(([status]) => !statuses.has(status));
  Reflect.defineMetadata(RESPONSES, Object.fromEntries(others), handler);
}

function errorResponse(status: number, errors: AppErrorClass[]): MethodDecorator {
  const codes = errors.map((error) => error.code);
  return ApiResponse({
    status,
    description: codes.map((code) => `\`${code}\``).join(' · '),
    content: {
      'application/json': {
        schema: {
          allOf: [{ $ref: getSchemaPath(ErrorBody) }, { type: 'object', properties: { code: { enum: codes } } }],
        },
      },
    },
  });
}
