import { Catch, Inject, Optional, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { RouteConventions } from './route-conventions.js';

/** Writes the errors of a controller's routes through the app's `RouteConventions`. */
@Catch()
export class RouteFilter implements ExceptionFilter {
  constructor(@Optional() @Inject(RouteConventions) private readonly conventions: RouteConventions | null = null) {}

  catch(error: unknown, host: ArgumentsHost): unknown {
    // Without HttpModule, Express passes the error on to the app's own filters.
    if (!this.conventions) throw error;
    return this.conventions.filter.catch(error, host) as unknown;
  }
}
