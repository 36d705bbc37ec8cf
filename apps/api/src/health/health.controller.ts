import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, NotReady, Public, ValidationFailed, WireConventions } from '@passwright/core';
import { AppleWalletOptions } from '@passwright/apple-wallet';
import type { Response } from 'express';
import { version } from '../version.js';
import { INSTALLATION_HEADER, installationId } from './installation-id.js';
import { ReadinessService } from './readiness.service.js';

class Health {
  @ApiProperty({ example: 'ok' })
  status!: 'ok';

  @ApiProperty({ example: '1.0.0', description: 'The version of the service.' })
  version!: string;
}

const ok: Health = { status: 'ok', version };

@ApiTags('operation')
@WireConventions()
@Controller('health')
export class HealthController {
  private readonly installation: string;

  constructor(
    private readonly readiness: ReadinessService,
    { passTokenSecret }: AppleWalletOptions,
  ) {
    this.installation = installationId(passTokenSecret);
  }

  @Get('live')
  @Public({ unlimited: true })
  @ApiOperation({ operationId: 'getLiveness', summary: 'Check that the process is alive' })
  @ApiOkResponse({ type: Health })
  @ApiErrors(ValidationFailed)
  live(): Health {
    return ok;
  }

  @Get('ready')
  @Public({ unlimited: true })
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Check that the node is ready',
    description:
      'Checks that the node can use the database and the image storage, that it can decrypt user data, and ' +
      'that its clock is right. A 503 names the problem, or says that the node is stopping. A result is reused ' +
      'for at least a second.',
  })
  @ApiOkResponse({ type: Health })
  @ApiErrors(ValidationFailed, NotReady)
  async ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    // The doctor reads this header to check that BASE_URL leads to this installation.
    response.set(INSTALLATION_HEADER, this.installation);
    await this.readiness.check();
    return ok;
  }
}
