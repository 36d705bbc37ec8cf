import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { AppError, errorBody } from '@passwright/core';
import type { FastifyReply } from 'fastify';

/** Sends the errors of Passwright's services in the same form as Passwright's own routes. */
@Catch(AppError)
export class WireErrorFilter implements ExceptionFilter {
  catch(error: AppError, host: ArgumentsHost): void {
    void host
      .switchToHttp()
      .getResponse<FastifyReply>()
      .status(error.statusCode)
      .headers(error.headers)
      .send(errorBody(error));
  }
}
