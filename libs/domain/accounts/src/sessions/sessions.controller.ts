import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  NotFound,
  PageQuery,
  RequireUser,
  ValidationFailed,
  type Page,
  type Principal,
} from '@passwright/core';
import { SessionResponse } from './session.dto.js';
import { UsersSessionsService } from './users-sessions.service.js';

@ApiTags('auth')
@Controller('v1/auth/sessions')
export class SessionsController {
  constructor(private readonly sessions: UsersSessionsService) {}

  @Get()
  @RequireUser()
  @ApiOperation({
    operationId: 'listSessions',
    summary: 'List your sessions',
    description: 'Lists the sessions of the user in every account, newest first.',
  })
  @ApiPage(SessionResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() caller: Principal, @Query() { limit, cursor }: PageQuery): Promise<Page<SessionResponse>> {
    return this.sessions.list(caller, limit, cursor);
  }

  @Delete(':sessionId')
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({
    operationId: 'revokeSession',
    summary: 'End one of your sessions',
    description: 'Ends a session of the user in any account. Its tokens stop working immediately.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiErrors(NotFound)
  revoke(@Caller() caller: Principal, @Param('sessionId') sessionId: string): Promise<void> {
    return this.sessions.revoke(caller, sessionId);
  }

  @Delete()
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({
    operationId: 'revokeOtherSessions',
    summary: 'End all your other sessions',
    description: 'Ends all sessions of the user in every account except the current one.',
  })
  @ApiNoContentResponse({ description: 'The other sessions have ended.' })
  revokeOthers(@Caller() caller: Principal): Promise<void> {
    return this.sessions.revokeOthers(caller);
  }
}
