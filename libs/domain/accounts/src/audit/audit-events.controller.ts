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
      'Who did what, when and from where, the newest first. For admins, and for keys with `account:write`: it shows ' +
      'the addresses people work from. Nothing in it can be changed or deleted. Issuing single passes and changing ' +
      'what they say is not in it, as the passes tell that themselves; docs/audit-trail.md lists what is. Of passes, ' +
      'templates and members a key sees `target.id`, `before` and `after` only with their read scopes, else null.',
  })
  @ApiPage(AuditEventResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() caller: Principal, @Query() query: AuditEventsQuery): Promise<Page<AuditEventResponse>> {
    return this.events.list(caller, query);
  }
}
