import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';

/** The app's own error body. Passwright's routes keep theirs. */
@Catch()
export class MuseumErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const reason = error instanceof HttpException ? error.getResponse() : 'The museum has a problem.';
    response.status(status).json({ sorry: reason });
  }
}
