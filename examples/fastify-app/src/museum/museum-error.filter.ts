import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Sends errors in the app's own form. */
@Catch()
export class MuseumErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const reason = error instanceof HttpException ? error.getResponse() : 'The museum has a problem.';
    void reply.status(status).send({ sorry: reason });
  }
}
