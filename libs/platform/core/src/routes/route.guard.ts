import { Inject, Injectable, Optional, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RouteConventions } from './route-conventions.js';

/** Admits requests to the routes of a controller, as the app's `RouteConventions` decide. */
@Injectable()
export class RouteGuard implements CanActivate {
  constructor(@Optional() @Inject(RouteConventions) private readonly conventions: RouteConventions | null = null) {}

  canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    // An app context without HTTP contains the routes but never calls them, so its start must not require HttpModule.
    if (!this.conventions) {
      throw new Error(
        `${context.getClass().name} needs HttpModule of @passwright/http: import it, or set \`routes: false\`.`,
      );
    }
    return this.conventions.guard.canActivate(context);
  }
}
