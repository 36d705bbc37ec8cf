import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request, Response } from 'express';

/**
 * Creates requests and responses with the app's prototypes. Otherwise Express would replace the prototypes on each
 * request, which takes much CPU time up to Node 22.
 */
export class AppAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    class AppRequest extends IncomingMessage {}
    class AppResponse extends ServerResponse {}
    Object.setPrototypeOf(AppRequest.prototype, app.request);
    Object.setPrototypeOf(AppResponse.prototype, app.response);
    app.request = AppRequest.prototype as Request;
    app.response = AppResponse.prototype as unknown as Response;
    this.httpServer = createServer({ IncomingMessage: AppRequest, ServerResponse: AppResponse }, app);
  }
}
