import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  InvalidTransition,
  MalformedJson,
  RequireScope,
  ValidationFailed,
  type Page,
  type Principal,
} from '@passwright/core';
import { WebhookTestResponse } from '../webhooks/webhook.dto.js';
import { WebhookNotFound } from '../webhooks/webhooks.errors.js';
import { EventNotFound } from './deliveries.errors.js';
import { DeliveriesService } from './deliveries.service.js';
import {
  WebhookDeliveriesQuery,
  WebhookDeliveryResponse,
  WebhookReplayRequest,
  WebhookReplayResponse,
} from './delivery.dto.js';
import { WebhookTestsService } from './webhook-tests.service.js';

@ApiTags('webhooks')
@Controller('v1/webhooks/:webhookId')
export class DeliveriesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly tests: WebhookTestsService,
  ) {}

  @Post('test')
  @HttpCode(200)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description:
      'Sends a signed `webhook.test` event immediately, even to a disabled webhook, and returns the response ' +
      'that arrived within 15 seconds. The test is neither retried nor listed. At most 100 tests an hour for ' +
      'all accounts of one founder.',
  })
  @ApiOkResponse({ type: WebhookTestResponse })
  @ApiErrors(WebhookNotFound, InvalidTransition)
  test(@Caller() { accountId }: Principal, @Param('webhookId') webhookId: string): Promise<WebhookTestResponse> {
    return this.tests.send({ accountId, webhookId });
  }

  @Get('deliveries')
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'listWebhookDeliveries',
    summary: "List a webhook's deliveries",
    description: 'Lists sent and pending deliveries, newest first, with the result of the last attempt.',
  })
  @ApiPage(WebhookDeliveryResponse)
  @ApiErrors(ValidationFailed, WebhookNotFound)
  list(
    @Caller() { accountId }: Principal,
    @Param('webhookId') webhookId: string,
    @Query() query: WebhookDeliveriesQuery,
  ): Promise<Page<WebhookDeliveryResponse>> {
    return this.deliveries.list({ accountId, webhookId }, query);
  }

  @Post('deliveries/:eventId/replay')
  @HttpCode(204)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'replayWebhookDelivery',
    summary: 'Replay an event',
    description:
      'Sends the event immediately and restarts its retry schedule: same id, same body, new signature. Also ' +
      'works for an event that was never sent to the webhook.',
  })
  @ApiNoContentResponse({ description: 'The delivery is pending.' })
  @ApiErrors(WebhookNotFound, EventNotFound, InvalidTransition)
  replay(
    @Caller() caller: Principal,
    @Param('webhookId') webhookId: string,
    @Param('eventId') eventId: string,
  ): Promise<void> {
    return this.deliveries.replay(caller, webhookId, eventId);
  }

  @Post('replay')
  @HttpCode(200)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'replayWebhookDeliveries',
    summary: 'Replay many events',
    description:
      'Replays the failed, delivered or missed events of a period, at most 100,000. Skips pending deliveries.',
  })
  @ApiOkResponse({ type: WebhookReplayResponse })
  @ApiErrors(ValidationFailed, MalformedJson, WebhookNotFound, InvalidTransition)
  async replayMany(
    @Caller() caller: Principal,
    @Param('webhookId') webhookId: string,
    @Body() request: WebhookReplayRequest,
  ): Promise<WebhookReplayResponse> {
    return { replayed: await this.deliveries.replayMany(caller, webhookId, request) };
  }
}
