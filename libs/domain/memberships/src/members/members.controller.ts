import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, UseGuards } from '@nestjs/common';
import { ApiConsumes, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  DevelopmentSigningGuard,
  type IfMatch,
  IfMatchTags,
  InvalidTransition,
  LimitExceeded,
  type Page,
  PreconditionFailed,
  type Principal,
  RequireApiKey,
  type Tagged,
  ValidationFailed,
} from '@passwright/core';
import { TemplateArchived } from '@passwright/templates';
import { MembershipsOptions } from '../memberships.options.js';
import { ApiMemberBody, ApiMemberId } from './member-api.decorators.js';
import { MemberChangesService } from './member-changes.service.js';
import { MembersQuery } from './member-list.dto.js';
import {
  memberIdOf,
  MemberPatch,
  MemberResponse,
  NewMemberRequest,
  taggedMember,
  toMemberResponse,
} from './member.dto.js';
import { MemberExists, MemberNotFound } from './members.errors.js';
import { MembersService } from './members.service.js';

@ApiTags('memberships')
@Controller('v1/memberships/members')
@UseGuards(DevelopmentSigningGuard)
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly changes: MemberChangesService,
    private readonly options: MembershipsOptions,
  ) {}

  @Post()
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'createMember',
    summary: 'Create a member',
    description: 'Creates a member and its pass. The pass is valid while the member is active, and void otherwise.',
  })
  @ApiMemberBody(201, 'The member.')
  @ApiErrors(ValidationFailed, LimitExceeded, MemberExists, TemplateArchived, InvalidTransition)
  async create(@Caller() { accountId }: Principal, @Body() request: NewMemberRequest): Promise<Tagged<MemberResponse>> {
    return taggedMember(await this.members.create(accountId, request), this.options.baseUrl);
  }

  @Get(':memberId')
  @RequireApiKey('members:read')
  @ApiOperation({
    operationId: 'getMember',
    summary: 'Read a member',
    description: 'From its expiry on, the status of a member is `expired`.',
  })
  @ApiMemberId()
  @ApiMemberBody(200, 'The member.')
  @ApiErrors(ValidationFailed, MemberNotFound)
  async get(@Caller() { accountId }: Principal, @Param('memberId') memberId: string): Promise<Tagged<MemberResponse>> {
    return taggedMember(await this.members.get(accountId, memberIdOf(memberId)), this.options.baseUrl);
  }

  @Get()
  @RequireApiKey('members:read')
  @ApiOperation({
    operationId: 'listMembers',
    summary: 'List members',
    description:
      'Lists members page by page, newest first. With `expiresBefore` or `expiresAfter` the ' +
      'list is ordered by expiry. Several filters apply together.',
  })
  @ApiPage(MemberResponse)
  @ApiErrors(ValidationFailed)
  async list(@Caller() { accountId }: Principal, @Query() query: MembersQuery): Promise<Page<MemberResponse>> {
    const { data, nextCursor } = await this.members.list(accountId, query);
    return { data: data.map((read) => toMemberResponse(read, this.options.baseUrl)), nextCursor };
  }

  @Patch(':memberId')
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'updateMember',
    summary: 'Change a member',
    description:
      'Changes a member by a JSON merge patch (RFC 7396): null clears a property, omitted ' +
      'properties stay, and `data` is merged. The pass is updated too. Use a renewal to change ' +
      'the expiry of an expired member. The expiry of a cancelled member cannot be changed.',
  })
  @ApiMemberId()
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiMemberBody(200, 'The changed member.')
  @ApiErrors(ValidationFailed, MemberNotFound, MemberExists, InvalidTransition, PreconditionFailed)
  async patch(
    @Caller() { accountId }: Principal,
    @Param('memberId') memberId: string,
    @Body() patch: MemberPatch,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MemberResponse>> {
    const changed = await this.changes.patch(accountId, memberIdOf(memberId), patch, ifMatch);
    return taggedMember(changed, this.options.baseUrl);
  }

  @Delete(':memberId')
  @HttpCode(204)
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'deleteMember',
    summary: 'Delete a member',
    description:
      'Deletes a member and its pass. Phones that hold the pass receive a void version. The id is never reused.',
  })
  @ApiMemberId()
  @ApiNoContentResponse({ description: 'The member was deleted.' })
  @ApiErrors(ValidationFailed, MemberNotFound, PreconditionFailed)
  async delete(
    @Caller() { accountId }: Principal,
    @Param('memberId') memberId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<void> {
    await this.changes.delete(accountId, memberIdOf(memberId), ifMatch);
  }
}
