import { Controller, Get, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, appError, Public, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';

/** 503: this node takes no requests now: it is shutting down, or its database does not answer. */
export class NotReady extends appError(503, 'not_ready') {}

class Health {
  @ApiProperty({ example: 'ok' })
  status!: 'ok';
}

@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(private readonly database: Database) {}

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /** @throws NotReady */
  async check(): Promise<Health> {
    if (this.stopping) throw new NotReady('This node is shutting down; ask another.');
    await this.database.ping().catch(() => {
      throw new NotReady('The database does not answer; see the logs.');
    });
    return { status: 'ok' };
  }
}

@ApiTags('operation')
@Controller('health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

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
  ready(): Promise<Health> {
    return this.readiness.check();
  }
}
