import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  DevelopmentSigningGuard,
  type IfMatch,
  IfMatchTags,
  InvalidTransition,
  LimitExceeded,
  MustBeNew,
  type Page,
  PreconditionFailed,
  type Principal,
  RequireScope,
  StorageUnavailable,
  Tagged,
  ValidationFailed,
} from '@passwright/core';
import { ImageInvalid } from '@passwright/images';
import { TemplateArchived, TemplateNotFound } from '@passwright/templates';
import { ApiPassAddress, ApiPassBody, ApiTemplateId } from './pass-api.decorators.js';
import { ChangedPassWithLinks, taggedChange } from './changed-pass.dto.js';
import { passPatchExamples, passRequestExamples } from './pass-examples.js';
import { PassListQuery } from '../lists/pass-list.dto.js';
import { PassMetadataRequest, PassPatch, PassRequest } from '../content/pass.dto.js';
import { ListedPass, PassWithLinks, taggedPass, toListedPass } from '../content/pass-with-links.dto.js';
import { PassExists, PassNotFound } from './passes.errors.js';
import { PassesOptions } from '../passes.options.js';
import { PassesService } from './passes.service.js';

@ApiTags('passes')
@Controller('v1/pass')
@UseGuards(DevelopmentSigningGuard)
export class PassesController {
  constructor(
    private readonly passes: PassesService,
    private readonly options: PassesOptions,
  ) {}

  @Post(':templateId')
  @RequireScope('passes:write')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'createPass',
    summary: 'Issue a pass',
    description:
      'The template must not be archived. If you choose the `id`, choose one that cannot be guessed: it ' +
      'protects the public links.',
  })
  @ApiTemplateId()
  @ApiBody({ type: PassRequest, examples: passRequestExamples })
  @ApiPassBody(201, 'The pass and its links.')
  @ApiErrors(
    ValidationFailed,
    ImageInvalid,
    TemplateNotFound,
    TemplateArchived,
    PassExists,
    LimitExceeded,
    StorageUnavailable,
  )
  async create(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Body() request: PassRequest,
  ): Promise<Tagged<PassWithLinks>> {
    return taggedPass(await this.passes.create(accountId, templateId, request), this.options.baseUrl);
  }

  @Post(':templateId/:passId')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'upsertPass',
    summary: 'Create or replace a pass',
    description:
      'The body is the whole pass: absent optional properties are cleared, except the code, which stays. A body ' +
      'that equals the stored pass changes nothing. With `If-None-Match: *` it only creates a pass.',
  })
  @ApiPassAddress()
  @ApiBody({ type: PassRequest, examples: passRequestExamples })
  @ApiPassBody(200, 'The pass after the change, and the notices that its holders see.', ChangedPassWithLinks)
  @ApiErrors(
    ValidationFailed,
    ImageInvalid,
    TemplateNotFound,
    TemplateArchived,
    PassExists,
    InvalidTransition,
    PreconditionFailed,
    LimitExceeded,
    StorageUnavailable,
  )
  async upsert(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Body() request: PassRequest,
    @IfMatchTags() ifMatch: IfMatch,
    @MustBeNew() mustBeNew: boolean,
  ): Promise<Tagged<ChangedPassWithLinks>> {
    const address = { accountId, templateId, passId };
    const issued = await this.passes.upsert(address, request, mustBeNew ? 'new' : ifMatch);
    return taggedChange(issued, this.options.baseUrl);
  }

  @Get(':templateId/:passId')
  @RequireScope('passes:read')
  @ApiTags('mcp')
  @ApiOperation({ operationId: 'getPass', summary: 'Read a pass' })
  @ApiPassAddress()
  @ApiPassBody(200, 'The pass and its links.')
  @ApiErrors(PassNotFound)
  async get(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
  ): Promise<Tagged<PassWithLinks>> {
    return taggedPass(await this.passes.get({ accountId, templateId, passId }), this.options.baseUrl);
  }

  @Get(':templateId')
  @RequireScope('passes:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'listPasses',
    summary: "List a template's passes",
    description:
      'Lists passes newest first, page by page. `updatedSince` sorts by the last change, and `expiresBefore` by the expiry. ' +
      'Several filters are combined with AND.',
  })
  @ApiTemplateId()
  @ApiPage(ListedPass)
  @ApiErrors(ValidationFailed, TemplateNotFound)
  async list(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Query() query: PassListQuery,
  ): Promise<Page<ListedPass>> {
    const { data, nextCursor } = await this.passes.list(accountId, templateId, query);
    return { data: data.map((issued) => toListedPass(issued, this.options.baseUrl)), nextCursor };
  }

  @Patch(':templateId/:passId')
  @RequireScope('passes:write')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'updatePass',
    summary: 'Change a pass',
    description:
      'A JSON merge patch (RFC 7396): null clears a property, absent properties stay, lists are replaced as a ' +
      'whole. A null code generates a new one. Also works for passes of an archived template, which stay void.',
  })
  @ApiPassAddress()
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiBody({ type: PassPatch, examples: passPatchExamples })
  @ApiPassBody(200, 'The pass after the change, and the notices that its holders see.', ChangedPassWithLinks)
  @ApiErrors(
    ValidationFailed,
    ImageInvalid,
    PassNotFound,
    PassExists,
    InvalidTransition,
    PreconditionFailed,
    StorageUnavailable,
  )
  async patch(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Body() patch: PassPatch,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<ChangedPassWithLinks>> {
    const issued = await this.passes.patch({ accountId, templateId, passId }, patch, ifMatch);
    return taggedChange(issued, this.options.baseUrl);
  }

  @Patch(':templateId/:passId/metadata')
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'updatePassMetadata',
    summary: "Replace a pass's metadata",
    description: 'Notifies no wallet and keeps `updatedAt`. A pass never shows its metadata.',
  })
  @ApiPassAddress()
  @ApiPassBody(200, 'The pass after the change.')
  @ApiErrors(ValidationFailed, PassNotFound, PreconditionFailed)
  async replaceMetadata(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Body() { metadata }: PassMetadataRequest,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<PassWithLinks>> {
    const issued = await this.passes.replaceMetadata({ accountId, templateId, passId }, metadata, ifMatch);
    return taggedPass(issued, this.options.baseUrl);
  }

  @Delete(':templateId/:passId')
  @HttpCode(204)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'deletePass',
    summary: 'Delete a pass',
    description:
      'Deletes the pass with its content. From then on its web view returns 410, and its links to the wallets return ' +
      '404. Void a pass instead to keep its history. A member’s pass is deleted with the member.',
  })
  @ApiPassAddress()
  @ApiNoContentResponse({ description: 'The pass was deleted.' })
  @ApiErrors(PassNotFound, InvalidTransition, PreconditionFailed)
  delete(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<void> {
    return this.passes.delete({ accountId, templateId, passId }, ifMatch);
  }
}
