import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  RequireScope,
  ValidationFailed,
  type Page,
  type Principal,
} from '@passwright/core';
import { AuditEventResponse, AuditEventsQuery } from './audit-event.dto.js';
import { AuditEventsService } from './audit-events.service.js';

@ApiTags('accounts')
@Controller('v1/account/events')
export class AuditEventsController {
  constructor(private readonly events: AuditEventsService) {}

  @Get()
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'listAccountEvents',
    summary: 'List the audit trail',
    description:
      'Lists the events newest first. Only for admins and for keys with `account:write`. Events cannot be ' +
      'changed or deleted. docs/audit-trail.md lists the recorded actions. Without the read scope for passes, ' +
      'templates or members, `target.id`, `before` and `after` of their events are null.',
  })
  @ApiPage(AuditEventResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() caller: Principal, @Query() query: AuditEventsQuery): Promise<Page<AuditEventResponse>> {
    return this.events.list(caller, query);
  }
}
