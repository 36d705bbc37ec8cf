import {
  Inject,
  Injectable,
  Optional,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { RouteConventions } from './route-conventions.js';

type Intercepted = ReturnType<NestInterceptor['intercept']>;

/** Reads the body of a write route. */
@Injectable()
export class RouteBodyInterceptor implements NestInterceptor {
  constructor(@Optional() @Inject(RouteConventions) private readonly conventions: RouteConventions | null = null) {}

  intercept(context: ExecutionContext, next: CallHandler): Intercepted {
    return this.conventions ? afterBody(this.conventions, context, () => next.handle()) : next.handle();
  }
}

/**
 * Reads the body of a write route, and then honours its `Idempotency-Key`. One interceptor does both, because each
 * interceptor costs several observables and promises.
 */
@Injectable()
export class RouteKeysInterceptor implements NestInterceptor {
  constructor(@Optional() @Inject(RouteConventions) private readonly conventions: RouteConventions | null = null) {}

  intercept(context: ExecutionContext, next: CallHandler): Intercepted {
    const { conventions } = this;
    if (!conventions) return next.handle();
    return afterBody(conventions, context, () => conventions.keys.intercept(context, next));
  }
}

/** Calls `respond` once the body is read; immediately if there is nothing to wait for. */
function afterBody({ body }: RouteConventions, context: ExecutionContext, respond: () => Intercepted): Intercepted {
  const reading = body.read(context);
  return reading ? reading.then(respond) : respond();
}
