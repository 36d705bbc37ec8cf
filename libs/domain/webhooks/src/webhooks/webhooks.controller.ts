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
  SecretAnswer,
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
  @SecretAnswer()
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Be told of what happens',
    description:
      'What happens from now on is posted to `url`, signed as Standard Webhooks has it, or, without one, kept to be ' +
      'fetched. The answer shows the `secret` once. At most 20 for an account. The caller needs the read scopes of what ' +
      'its types are about: `passes:read`, `templates:read`, `members:read`.',
  })
  @ApiBody({
    type: NewWebhookRequest,
    examples: {
      'A receiver that is called': { value: receiver },
      'One that fetches': { value: { name: 'Data warehouse' } },
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
    description: 'Newest first, without their secrets.',
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
      'With how it goes: since when it fails, how many deliveries wait, and why the service has disabled it.',
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
    summary: 'Change, disable or enable a webhook',
    description:
      'A JSON merge patch (RFC 7396): null clears a property, what is left out stays. What happens while it is disabled ' +
      'is not sent to it later, unless it is replayed; what was on its way stops, and goes on when it is enabled.',
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
    description: 'What was on its way to it stops.',
  })
  @ApiNoContentResponse({ description: 'It is gone.' })
  @ApiErrors(WebhookNotFound)
  delete(@Caller() { accountId }: Principal, @Param('webhookId') webhookId: string): Promise<void> {
    return this.webhooks.delete(accountId, webhookId);
  }

  @Post(':webhookId/rotate')
  @HttpCode(200)
  @RequireScope('account:write')
  @SecretAnswer()
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description:
      'The answer shows the new `secret` once. For `overlapHours` deliveries carry the signatures of both, so that the ' +
      'receiver can change over without a gap.',
  })
  @ApiOkResponse({ type: WebhookWithSecretResponse })
  @ApiErrors(ValidationFailed, MalformedJson, WebhookNotFound)
  rotate(
    @Caller() { accountId }: Principal,
    @Param('webhookId') webhookId: string,
    @Body() { overlapHours }: WebhookRotationRequest,
  ): Promise<WebhookWithSecretResponse> {
    return this.webhooks.rotate(accountId, webhookId, overlapHours ?? null);
  }
}
