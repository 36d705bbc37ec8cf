import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { UnsupportedMediaType, ValidationFailed } from '@passwright/core';
import type { Request } from 'express';
import { handlerParameters } from './handler-parameters.js';
import { hasBody, isForm, isJson, mediaType } from './media-type.js';

/**
 * Matches the parameters of a form's media type, including the boundary, in the syntax that all form parsers accept
 * (RFC 9110 §5.6.6).
 */
const formParameters = /^[^;]*(?:;\s*[\w-]+=(?:[!#$%&'*+.^`|~\w-]{1,70}|"[^"\\]{1,70}")\s*)+$/;
const boundary = /;\s*boundary=/i;

/**
 * Rejects a body whose media type does not match its route. A handler with an uploaded file takes a form, and a handler
 * with a body takes JSON. Any other handler is not checked. This is a guard, because an interceptor costs more per
 * request.
 * @throws UnsupportedMediaType, ValidationFailed
 */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    // Check the media type even if the body is empty, as a form parser does.
    const isNamed = request.headers['content-type'] !== undefined;
    if (isNamed || hasBody(request)) rejectOtherBody(request, handlerParameters(context).kinds);
    return true;
  }
}

function rejectOtherBody(request: Request, kinds: ReadonlySet<number>): void {
  if (kinds.has(RouteParamtypes.FILE) || kinds.has(RouteParamtypes.FILES)) {
    if (!isForm(request)) throw unsupported('multipart/form-data', request);
    const type = request.headers['content-type'] ?? '';
    if (!formParameters.test(type) || !boundary.test(type)) {
      throw new ValidationFailed('Content-Type must be multipart/form-data with a boundary of 1 to 70 characters');
    }
  } else if (kinds.has(RouteParamtypes.BODY) && hasBody(request) && !isJson(request)) {
    throw unsupported('application/json', request);
  }
}

function unsupported(taken: string, request: Request): UnsupportedMediaType {
  const sent = mediaType(request).slice(0, 100);
  return new UnsupportedMediaType(
    sent === '' ? `Send Content-Type: ${taken} with the body.` : `This route takes ${taken}, not ${sent}.`,
  );
}
