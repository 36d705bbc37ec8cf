import type { Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

/** The types whose values Nest's validation leaves as they are. */
const untouched = new Set<unknown>([undefined, Object, Array, Buffer, Date]);

/**
 * Returns the metadata keys of the parameters of a handler that `bodyValidation` could reject or convert. Only these
 * need the pipe.
 */
export function validatedParameters(controller: Type<unknown>, handler: object): string[] {
  const { name } = handler as { readonly name: string };
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, name) ?? []) as unknown[];
  const path = String(Reflect.getMetadata(PATH_METADATA, handler) ?? '');
  return Object.keys(parameters).filter((key) => {
    const [kind, index] = key.split(':').map(Number);
    const type = types[index as number];
    if (kind === RouteParamtypes.BODY) return true;
    if (kind === RouteParamtypes.QUERY) return !untouched.has(type);
    // All path parameters are strings, except those of a wildcard.
    if (kind === RouteParamtypes.PARAM) return !untouched.has(type) && (type !== String || path.includes('*'));
    return false;
  });
}
