import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, NotReady, Public, ValidationFailed } from '@passwright/core';
import { PassesOptions } from '@passwright/passes';
import type { Response } from 'express';
import { INSTALLATION_HEADER, installationId } from './installation-id.js';
import { ReadinessService } from './readiness.service.js';

class Health {
  @ApiProperty({ example: 'ok' })
  status!: 'ok';
}

@ApiTags('operation')
@Controller('health')
export class HealthController {
  private readonly installation: string;

  constructor(
    private readonly readiness: ReadinessService,
    { passTokenSecret }: PassesOptions,
  ) {
    this.installation = installationId(passTokenSecret);
  }

  @Get('live')
  @Public({ unlimited: true })
  @ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process is alive' })
  @ApiOkResponse({ type: Health })
  @ApiErrors(ValidationFailed)
  live(): Health {
    return { status: 'ok' };
  }

  @Get('ready')
  @Public({ unlimited: true })
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Whether this node can take requests',
    description:
      'Asks the database at most once a second, and writes to it and to the storage of images at most every 10 seconds, or ' +
      'every second after a failure. 503 names what fails: a database that is away, read-only or full, a storage that ' +
      'cannot be written, master keys that do not open the key of users, a clock that is over 5 seconds off, a node that stops.',
  })
  @ApiOkResponse({ type: Health })
  @ApiErrors(ValidationFailed, NotReady)
  async ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    // The doctor uses this header to check that BASE_URL leads here.
    response.set(INSTALLATION_HEADER, this.installation);
    await this.readiness.check();
    return { status: 'ok' };
  }
}
