import type { CanActivate, ExceptionFilter, ExecutionContext, NestInterceptor } from '@nestjs/common';

/**
 * Identifies the caller of a request and applies the route's access rule. `AccountsModule` provides its `AuthGuard`
 * under this token.
 */
export abstract class RouteAuthentication implements CanActivate {
  abstract canActivate(context: ExecutionContext): boolean | Promise<boolean>;
}

/**
 * The behaviour of all routes with `@WireConventions`. Other routes of the app do not have it. `HttpModule` provides
 * it.
 */
export abstract class RouteConventions {
  /** Admits a request, or rejects it before its body is read. */
  abstract readonly guard: CanActivate;
  /** Writes the error body. */
  abstract readonly filter: ExceptionFilter;
  /** Reads the body of a write. Returns null if there is nothing to wait for. */
  abstract readonly body: { read(context: ExecutionContext): Promise<void> | null };
  /** Applies the `Idempotency-Key` of a write request from an authenticated caller. */
  abstract readonly keys: NestInterceptor;
}
