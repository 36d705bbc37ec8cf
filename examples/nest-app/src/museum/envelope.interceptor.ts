import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { isPasswrightRoute } from '@passwright/core';
import { map, type Observable } from 'rxjs';

/** Wraps the results of the app's own routes. Leaves Passwright's routes unchanged, although it runs for all routes. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (isPasswrightRoute(context.getClass())) return next.handle();
    return next.handle().pipe(map((data: unknown) => (isPlain(data) ? { museum: data } : data)));
  }
}

/** Returns false for files and texts. */
function isPlain(data: unknown): boolean {
  return typeof data === 'object' && !(data instanceof StreamableFile);
}
