import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AccountsService } from '@passwright/accounts';
import {
  ApiErrors,
  StorageUnavailable,
  Caller,
  type IfMatch,
  IfMatchTags,
  MustBeNew,
  InvalidTransition,
  LimitExceeded,
  type Page,
  PreconditionFailed,
  type Principal,
  RequireScope,
  Tagged,
  ValidationFailed,
} from '@passwright/core';
import { ImageInvalid } from '@passwright/images';
import { toNotifications } from '../notices/notifications.dto.js';
import { TemplateIdPipe } from './template-id.pipe.js';
import { TemplateRequestPipe } from './template-request.pipe.js';
import { templateTag, toTemplateResponse, type TemplateResponse } from './template-response.dto.js';
import { ApiTemplateBody, ApiTemplatePage, ApiTemplateResponse } from './template-schema.js';
import type { TemplateRequest } from './template.dto.js';
import type { Template } from './template.entity.js';
import { TemplateArchived, TemplateInUse, TemplateNotFound } from './templates.errors.js';
import { TemplatesQuery, TemplateUpsertQuery } from './templates.query.dto.js';
import { type StoredTemplate, TemplatesService } from './templates.service.js';

const templateId = {
  name: 'templateId',
  description: 'The id that you choose for the template.',
  example: 'summer-sale',
};

@ApiTags('templates')
@Controller('v1/templates')
export class TemplatesController {
  constructor(
    private readonly templates: TemplatesService,
    private readonly accounts: AccountsService,
  ) {}

  @Post(':templateId')
  @HttpCode(200)
  @RequireScope('templates:write')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'upsertTemplate',
    summary: 'Create or replace a template',
    description:
      'Replaces the whole template: omitted optional properties are cleared. Sending the stored values again ' +
      'changes nothing. `templateId` is 1 to 64 letters, digits, dots, underscores or hyphens, the first a ' +
      'letter or digit. The type cannot change once the template has passes. The service copies images from ' +
      'other addresses. `If-None-Match: *` creates a template and never replaces one. If passes change ' +
      'visibly, `notifications` says what their holders see.',
  })
  @ApiParam(templateId)
  @ApiTemplateBody()
  @ApiTemplateResponse('The template after the change.')
  @ApiErrors(
    ValidationFailed,
    ImageInvalid,
    TemplateArchived,
    InvalidTransition,
    PreconditionFailed,
    LimitExceeded,
    StorageUnavailable,
  )
  async upsert(
    @Caller() caller: Principal,
    @Param('templateId', TemplateIdPipe) templateId: string,
    @Query() { accountId: requested }: TemplateUpsertQuery,
    @Body(TemplateRequestPipe) request: TemplateRequest,
    @IfMatchTags() ifMatch: IfMatch,
    @MustBeNew() mustBeNew: boolean,
  ): Promise<Tagged<TemplateResponse>> {
    const accountId = await this.accounts.accountFor(caller, requested);
    return taggedChange(await this.templates.store(accountId, templateId, request, mustBeNew ? 'new' : ifMatch));
  }

  @Get(':templateId')
  @RequireScope('templates:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'getTemplate',
    summary: 'Read a template',
    description: 'Send the `ETag` as `If-Match` with a change.',
  })
  @ApiParam(templateId)
  @ApiTemplateResponse('The template.')
  @ApiErrors(TemplateNotFound)
  async get(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
  ): Promise<Tagged<TemplateResponse>> {
    return tagged(await this.templates.read(accountId, templateId));
  }

  @Get()
  @RequireScope('templates:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'listTemplates',
    summary: 'List templates',
    description: 'Lists templates page by page, newest first.',
  })
  @ApiTemplatePage()
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: TemplatesQuery): Promise<Page<TemplateResponse>> {
    return this.templates.list(accountId, query);
  }

  @Post(':templateId/archive')
  @HttpCode(200)
  @RequireScope('templates:write')
  @ApiOperation({
    operationId: 'archiveTemplate',
    summary: 'Archive a template',
    description:
      'Voids all passes of the template, and blocks new ones until it is un-archived. An archived template ' +
      'stays unchanged.',
  })
  @ApiParam(templateId)
  @ApiTemplateResponse('The archived template.')
  @ApiErrors(TemplateNotFound, PreconditionFailed)
  async archive(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<TemplateResponse>> {
    return tagged(await this.templates.archive(accountId, templateId, ifMatch));
  }

  @Post(':templateId/unarchive')
  @HttpCode(200)
  @RequireScope('templates:write')
  @ApiOperation({
    operationId: 'unarchiveTemplate',
    summary: 'Un-archive a template',
    description:
      'Makes passes valid again, except those that were voided individually. A template that is not archived ' +
      'stays unchanged.',
  })
  @ApiParam(templateId)
  @ApiTemplateResponse('The un-archived template.')
  @ApiErrors(TemplateNotFound, LimitExceeded, PreconditionFailed)
  async unarchive(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<TemplateResponse>> {
    return tagged(await this.templates.unarchive(accountId, templateId, ifMatch));
  }

  @Delete(':templateId')
  @HttpCode(204)
  @RequireScope('templates:write')
  @ApiOperation({
    operationId: 'deleteTemplate',
    summary: 'Delete a template',
    description: 'Deletes a template that has no passes. Archive any other template instead.',
  })
  @ApiParam(templateId)
  @ApiNoContentResponse({ description: 'The template was deleted.' })
  @ApiErrors(TemplateNotFound, TemplateInUse, PreconditionFailed)
  delete(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<void> {
    return this.templates.delete(accountId, templateId, ifMatch);
  }
}

function tagged(template: Template): Tagged<TemplateResponse> {
  return new Tagged(toTemplateResponse(template), templateTag(template));
}

function taggedChange({ template, notices }: StoredTemplate): Tagged<TemplateResponse> {
  const response = toTemplateResponse(template);
  return new Tagged(
    notices ? { ...response, notifications: toNotifications(notices) } : response,
    templateTag(template),
  );
}
