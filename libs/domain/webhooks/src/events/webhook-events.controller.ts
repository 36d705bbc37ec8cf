import type { ServerResponse } from 'node:http';
import { Controller, createParamDecorator, type ExecutionContext, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  onClosed,
  RequireScope,
  ValidationFailed,
  whileAllowed,
  type AuthenticatedRequest,
  type Principal,
} from '@passwright/core';
import { WebhookNotFound } from '../webhooks/webhooks.errors.js';
import { WebhookEventsQuery, WebhookEventsResponse } from './webhook-event.dto.js';
import { WebhookEventsService } from './webhook-events.service.js';

/** Injects a signal that aborts when the connection closes, before or after the response. */
const Gone = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const gone = new AbortController();
  onClosed(context.switchToHttp().getResponse<ServerResponse>(), () => gone.abort());
  return gone.signal;
});

@ApiTags('webhooks')
@Controller('v1/webhooks/:webhookId/events')
export class WebhookEventsController {
  constructor(private readonly events: WebhookEventsService) {}

  @Get()
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'listWebhookEvents',
    summary: "List a webhook's events",
    description:
      'Lists the events of a webhook, oldest first, for receivers that cannot be called. The list has no end: ' +
      'store `cursor` and continue from it. With `wait`, the request stays open until an event happens. Events ' +
      "are kept for 30 days. The caller needs the read scopes for the webhook's event types (`passes:read`, " +
      '`templates:read`, `members:read`). After a restore of the database, some events may appear again with ' +
      'the same `id`.',
  })
  @ApiOkResponse({ type: WebhookEventsResponse })
  @ApiErrors(ValidationFailed, WebhookNotFound)
  list(
    @Caller() caller: Principal,
    @Param('webhookId') webhookId: string,
    @Query() query: WebhookEventsQuery,
    @Gone() gone: AbortSignal,
    @Req() request: AuthenticatedRequest,
  ): Promise<WebhookEventsResponse> {
    return whileAllowed(request, this.events.list(caller, webhookId, query, gone, request.recheckAccess));
  }
}
