import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';

/** Sends errors in the app's own form. Passwright's routes keep their form. */
@Catch()
export class MuseumErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const reason = error instanceof HttpException ? error.getResponse() : 'The museum has a problem.';
    response.status(status).json({ sorry: reason });
  }
}
