import {
  Inject,
  Injectable,
  Optional,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { RouteConventions } from './route-conventions.js';

/** Reads the body of a write route. */
@Injectable()
export class RouteBodyInterceptor implements NestInterceptor {
  constructor(@Optional() @Inject(RouteConventions) private readonly conventions: RouteConventions | null = null) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
    return this.conventions ? this.conventions.body.intercept(context, next) : next.handle();
  }
}

/** Honours `Idempotency-Key` on a write route. */
@Injectable()
export class RouteKeysInterceptor implements NestInterceptor {
  constructor(@Optional() @Inject(RouteConventions) private readonly conventions: RouteConventions | null = null) {}

  intercept(context: ExecutionContext, next: CallHandler): ReturnType<NestInterceptor['intercept']> {
    return this.conventions ? this.conventions.keys.intercept(context, next) : next.handle();
  }
}
