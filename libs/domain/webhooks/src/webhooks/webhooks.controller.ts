import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  IfMatchTags,
  LimitExceeded,
  MalformedJson,
  PageQuery,
  PreconditionFailed,
  RequireScope,
  SecretResponse,
  ValidationFailed,
  type IfMatch,
  type Page,
  type Principal,
  type Tagged,
} from '@passwright/core';
import {
  NewWebhookRequest,
  taggedWebhook,
  WebhookPatch,
  WebhookResponse,
  WebhookRotationRequest,
  WebhookWithSecretResponse,
} from './webhook.dto.js';
import { WebhookNotFound } from './webhooks.errors.js';
import { WebhooksService } from './webhooks.service.js';

const receiver = { name: 'CRM', url: 'https://crm.example.com/passes', types: ['pass.created', 'pass.installed'] };

@ApiTags('webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Post()
  @RequireScope('account:write')
  @SecretResponse()
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Creates a webhook for future events. The service posts them to `url`, signed according to Standard ' +
      'Webhooks. Without a `url`, list them with `GET …/events`. An account may have 20 webhooks. The caller ' +
      'needs the read scopes for its event types: `passes:read`, `templates:read`, `members:read`. The ' +
      'response shows the `secret` once.',
  })
  @ApiBody({
    type: NewWebhookRequest,
    examples: {
      'A receiver that the service calls': { value: receiver },
      'A receiver that fetches events': { value: { name: 'Data warehouse' } },
    },
  })
  @ApiCreatedResponse({ type: WebhookWithSecretResponse })
  @ApiErrors(ValidationFailed, MalformedJson, LimitExceeded)
  create(@Caller() caller: Principal, @Body() request: NewWebhookRequest): Promise<WebhookWithSecretResponse> {
    return this.webhooks.create(caller, request);
  }

  @Get()
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Lists webhooks, newest first, without their secrets.',
  })
  @ApiPage(WebhookResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: PageQuery): Promise<Page<WebhookResponse>> {
    return this.webhooks.list(accountId, query);
  }

  @Get(':webhookId')
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    description:
      'Returns a webhook and its state: when it began to fail, the number of pending ' +
      'deliveries, and why the service disabled it.',
  })
  @ApiOkResponse({ type: WebhookResponse })
  @ApiErrors(WebhookNotFound)
  async get(
    @Caller() { accountId }: Principal,
    @Param('webhookId') webhookId: string,
  ): Promise<Tagged<WebhookResponse>> {
    return taggedWebhook(await this.webhooks.get(accountId, webhookId));
  }

  @Patch(':webhookId')
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'Changes, disables or enables a webhook by a JSON merge patch (RFC 7396): null clears a ' +
      'property, omitted properties stay. Disabling stops pending deliveries, which continue ' +
      'when you enable the webhook again. Events that happen while it is disabled are not sent ' +
      'later unless you replay them.',
  })
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiOkResponse({ type: WebhookResponse })
  @ApiErrors(ValidationFailed, MalformedJson, WebhookNotFound, PreconditionFailed)
  async update(
    @Caller() caller: Principal,
    @Param('webhookId') webhookId: string,
    @Body() patch: WebhookPatch,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<WebhookResponse>> {
    return taggedWebhook(await this.webhooks.update(caller, webhookId, patch, ifMatch));
  }

  @Delete(':webhookId')
  @HttpCode(204)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook and stops its pending deliveries.',
  })
  @ApiNoContentResponse({ description: 'The webhook was deleted.' })
  @ApiErrors(WebhookNotFound, PreconditionFailed)
  delete(
    @Caller() { accountId }: Principal,
    @Param('webhookId') webhookId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<void> {
    return this.webhooks.delete(accountId, webhookId, ifMatch);
  }

  @Post(':webhookId/rotate')
  @HttpCode(200)
  @RequireScope('account:write')
  @SecretResponse()
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: "Rotate a webhook's secret",
    description:
      'Creates a new `secret`, which the response shows once. For `overlapHours` deliveries ' +
      'carry the signatures of both secrets, so that the receiver can switch without a gap.',
  })
  @ApiOkResponse({ type: WebhookWithSecretResponse })
  @ApiErrors(ValidationFailed, MalformedJson, WebhookNotFound, PreconditionFailed)
  rotate(
    @Caller() { accountId }: Principal,
    @Param('webhookId') webhookId: string,
    @Body() { overlapHours }: WebhookRotationRequest,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<WebhookWithSecretResponse> {
    return this.webhooks.rotate(accountId, webhookId, overlapHours ?? null, ifMatch);
  }
}
