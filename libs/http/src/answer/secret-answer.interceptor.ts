import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { SECRET_ANSWER } from '@passwright/core';
import type { Response } from 'express';
import type { Observable } from 'rxjs';

/** Keeps the answers of `@SecretAnswer` routes out of every cache. */
@Injectable()
export class SecretAnswerInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (holdsSecret(this.reflector, context)) {
      context.switchToHttp().getResponse<Response>().setHeader('Cache-Control', 'no-store');
    }
    return next.handle();
  }
}

/** Whether the route, or its whole controller, is marked with `@SecretAnswer`. */
export function holdsSecret(reflector: Reflector, context: ExecutionContext): boolean {
  return reflector.getAllAndOverride<boolean>(SECRET_ANSWER, [context.getHandler(), context.getClass()]) === true;
}
