import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  DevelopmentSigningGuard,
  type IfMatch,
  IfMatchTags,
  InvalidTransition,
  LimitExceeded,
  PreconditionFailed,
  type Principal,
  RequireApiKey,
  type Tagged,
  ValidationFailed,
} from '@passwright/core';
import { TemplateArchived, TemplateNotFound } from '@passwright/templates';
import { MembershipsOptions } from '../memberships.options.js';
import { ApiMemberBody, ApiMemberId } from './member-api.decorators.js';
import { MemberChangesService } from './member-changes.service.js';
import { memberIdOf, type MemberResponse, RenewalRequest, taggedMember } from './member.dto.js';
import { MemberNotFound } from './members.errors.js';

@ApiTags('memberships')
@Controller('v1/memberships/members/:memberId')
@UseGuards(DevelopmentSigningGuard)
export class MemberTransitionsController {
  constructor(
    private readonly changes: MemberChangesService,
    private readonly options: MembershipsOptions,
  ) {}

  @Post('activate')
  @HttpCode(200)
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'activateMember',
    summary: 'Activate a member',
    description:
      'Activates a pending or suspended member. The pass becomes valid; if it was deleted, a ' +
      'new one is issued. Reminders whose time has passed are not sent.',
  })
  @ApiMemberId()
  @ApiMemberBody(200, 'The active member.')
  @ApiErrors(
    ValidationFailed,
    LimitExceeded,
    MemberNotFound,
    TemplateNotFound,
    InvalidTransition,
    TemplateArchived,
    PreconditionFailed,
  )
  async activate(
    @Caller() { accountId }: Principal,
    @Param('memberId') memberId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MemberResponse>> {
    return taggedMember(await this.changes.activate(accountId, memberIdOf(memberId), ifMatch), this.options.baseUrl);
  }

  @Post('suspend')
  @HttpCode(200)
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'suspendMember',
    summary: 'Suspend a member',
    description:
      'Suspends an active member. The pass is void until the member is activated again. The ' +
      'expiry does not change.',
  })
  @ApiMemberId()
  @ApiMemberBody(200, 'The suspended member.')
  @ApiErrors(ValidationFailed, MemberNotFound, InvalidTransition, PreconditionFailed)
  async suspend(
    @Caller() { accountId }: Principal,
    @Param('memberId') memberId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MemberResponse>> {
    return taggedMember(await this.changes.suspend(accountId, memberIdOf(memberId), ifMatch), this.options.baseUrl);
  }

  @Post('cancel')
  @HttpCode(200)
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'cancelMember',
    summary: 'Cancel a membership',
    description: 'Cancels a membership of any status. The pass becomes void. This cannot be undone.',
  })
  @ApiMemberId()
  @ApiMemberBody(200, 'The cancelled member.')
  @ApiErrors(ValidationFailed, MemberNotFound, InvalidTransition, PreconditionFailed)
  async cancel(
    @Caller() { accountId }: Principal,
    @Param('memberId') memberId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MemberResponse>> {
    return taggedMember(await this.changes.cancel(accountId, memberIdOf(memberId), ifMatch), this.options.baseUrl);
  }

  @Post('renew')
  @HttpCode(200)
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'renewMember',
    summary: 'Renew a membership',
    description:
      'Renews an active or expired membership. The member is active, and the pass valid, until ' +
      'the new expiry. All reminders are sent again for the new term.',
  })
  @ApiMemberId()
  @ApiMemberBody(200, 'The active member.')
  @ApiErrors(
    ValidationFailed,
    LimitExceeded,
    MemberNotFound,
    TemplateNotFound,
    InvalidTransition,
    TemplateArchived,
    PreconditionFailed,
  )
  async renew(
    @Caller() { accountId }: Principal,
    @Param('memberId') memberId: string,
    @Body() { expiry }: RenewalRequest,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MemberResponse>> {
    return taggedMember(
      await this.changes.renew(accountId, memberIdOf(memberId), expiry, ifMatch),
      this.options.baseUrl,
    );
  }
}
