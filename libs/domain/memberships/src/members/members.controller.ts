import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiConsumes, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  DevelopmentSigningInterceptor,
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
import { ApiMemberAnswer, ApiMemberId } from './member-api.decorators.js';
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
@UseInterceptors(DevelopmentSigningInterceptor)
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
    summary: 'Make a member',
    description:
      'With the next id of the account and a pass of its own, from the template that the settings name: both are there, ' +
      'or neither. The pass is valid while the member is active, and void otherwise.',
  })
  @ApiMemberAnswer(201, 'The member.')
  @ApiErrors(ValidationFailed, LimitExceeded, MemberExists, TemplateArchived, InvalidTransition)
  async create(@Caller() { accountId }: Principal, @Body() request: NewMemberRequest): Promise<Tagged<MemberResponse>> {
    return taggedMember(await this.members.create(accountId, request), this.options.baseUrl);
  }

  @Get(':memberId')
  @RequireApiKey('members:read')
  @ApiOperation({
    operationId: 'getMember',
    summary: 'Read a member',
    description: 'Whose expiry has passed reads as expired from that moment on.',
  })
  @ApiMemberId()
  @ApiMemberAnswer(200, 'The member.')
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
      'The newest first, a page at a time; with `expiresBefore` or `expiresAfter` in the order of their expiries. ' +
      'Several filters narrow the list down together.',
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
      'A JSON merge patch (RFC 7396): null clears a property, what is left out stays, `data` is merged. The pass follows. ' +
      'Of a member who has expired, the expiry is changed by a renewal; of a cancelled one, not at all.',
  })
  @ApiMemberId()
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiMemberAnswer(200, 'The member as it is now.')
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
    summary: 'Delete a member and its pass',
    description: 'Phones that hold the pass get a void one. The id is never used again.',
  })
  @ApiMemberId()
  @ApiNoContentResponse({ description: 'It is gone.' })
  @ApiErrors(ValidationFailed, MemberNotFound)
  async delete(@Caller() { accountId }: Principal, @Param('memberId') memberId: string): Promise<void> {
    await this.changes.delete(accountId, memberIdOf(memberId));
  }
}
