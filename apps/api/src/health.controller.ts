import { Controller, Get, Injectable, Res, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, NotReady, Public, ValidationFailed } from '@passwright/core';
import { CLOCK_OFF_AT_MOST_MS, Database, DatabaseClock } from '@passwright/database';
import { PassesOptions } from '@passwright/passes';
import type { Response } from 'express';
import { INSTALLATION_HEADER, installationId } from './installation-id.js';

class Health {
  @ApiProperty({ example: 'ok' })
  status!: 'ok';
}

@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
  ) {}

  beforeApplicationShutdown(): void {
    this.stop();
  }

  /** From now on this node is not ready. */
  stop(): void {
    this.stopping = true;
  }

  /** @throws NotReady */
  async check(): Promise<Health> {
    if (this.stopping) throw new NotReady('This node is shutting down; ask another.');
    await this.database.ping().catch(() => {
      throw new NotReady('The database does not answer; see the logs.');
    });
    const aheadMs = this.clock.nodeAheadMs;
    if (Math.abs(aheadMs) > CLOCK_OFF_AT_MOST_MS) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000);
      throw new NotReady(`The clock of this node is ${seconds} s off the database's; check NTP on both.`);
    }
    return { status: 'ok' };
  }
}

@ApiTags('operation')
@Controller('health')
export class HealthController {
  private readonly installation: string;

  constructor(
    private readonly readiness: Readiness,
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
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether this node can take requests: its database answers' })
  @ApiOkResponse({ type: Health })
  @ApiErrors(ValidationFailed, NotReady)
  ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    // By it the doctor knows that BASE_URL leads here.
    response.set(INSTALLATION_HEADER, this.installation);
    return this.readiness.check();
  }
}
