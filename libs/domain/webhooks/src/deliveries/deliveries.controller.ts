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
      'Sends `webhook.test` at once, signed as any other, and answers with what came back within 15 seconds. Also to a ' +
      'webhook that is disabled. It is not repeated, and is in no list. At most 100 an hour for the accounts of one founder.',
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
    summary: 'List what was sent to a webhook, and what is on its way',
    description: 'Newest first, with how the last attempt ended.',
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
    summary: 'Send an event once more',
    description:
      'At once, with the schedule from its beginning: the same id, the same body, another signature. Also an event that ' +
      'the webhook was never told of.',
  })
  @ApiNoContentResponse({ description: 'It is on its way.' })
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
    summary: 'Send many events once more',
    description:
      'All of a period that failed, arrived, or were missed, 100,000 at most; those that are on their way are left alone.',
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
