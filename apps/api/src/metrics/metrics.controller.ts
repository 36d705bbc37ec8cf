import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Get, Headers, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, Unauthorized, ValidationFailed } from '@passwright/core';
import type { Response } from 'express';
import { MetricsService } from './metrics.service.js';
import { MetricsOptions } from './metrics.options.js';

@ApiTags('operation')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: MetricsService,
    private readonly options: MetricsOptions,
  ) {}

  @Get()
  @Public({ unlimited: true })
  @ApiOperation({
    operationId: 'readMetrics',
    summary: 'Read the Prometheus metrics',
    description:
      'In production, and wherever `METRICS_TOKEN` is set, the request needs `Authorization: ' +
      'Bearer` with that token. The metrics contain route patterns and numbers of accounts, but ' +
      'no ids, serial numbers or addresses.',
  })
  @ApiOkResponse({
    description: 'The metrics in Prometheus text format.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiErrors(ValidationFailed, Unauthorized)
  async read(
    @Headers('authorization') authorization: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    this.admit(authorization);
    response.set('Content-Type', this.metrics.contentType);
    return this.metrics.text();
  }

  /** Checks the bearer token. @throws Unauthorized */
  private admit(authorization: string | undefined): void {
    const { token, open } = this.options;
    if (token === null && open) return;
    if (token === null) {
      throw new Unauthorized(
        'Metrics are closed until METRICS_TOKEN is set; the scraper then sends it as bearer token.',
      );
    }
    const [, shown] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    if (shown !== undefined && timingSafeEqual(digest(shown), digest(token))) return;
    throw new Unauthorized('Metrics are read with Authorization: Bearer and the value of METRICS_TOKEN.');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
