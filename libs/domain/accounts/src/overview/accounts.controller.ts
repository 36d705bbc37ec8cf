import { Body, Controller, Delete, Get, HttpCode, Param, Patch } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  IfMatchTags,
  InvalidTransition,
  MalformedJson,
  NotFound,
  PreconditionFailed,
  RequireScope,
  SecretResponse,
  Tagged,
  ValidationFailed,
  type IfMatch,
  type Principal,
} from '@passwright/core';
import { AccountMemberResponse, RoleRequest } from '../accounts/account-member.dto.js';
import { AccountPatch, AccountResponse } from './account.dto.js';
import { taggedAccount } from './account-etag.js';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AccountOverviewService } from './account-overview.service.js';

const patchExamples = {
  Rename: { value: { name: 'Analytical Engines' } },
  'Clear the industry': { value: { industry: null } },
};

@ApiTags('accounts')
@Controller('v1/account')
export class AccountsController {
  constructor(
    private readonly overview: AccountOverviewService,
    private readonly members: AccountMembersService,
  ) {}

  @Get()
  @RequireScope('account:read')
  @SecretResponse()
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'getAccount',
    summary: 'Read the account',
    description: 'The active account with its users, usage, plan and limits.',
  })
  @ApiOkResponse({ type: AccountResponse })
  async get(@Caller() caller: Principal): Promise<Tagged<AccountResponse>> {
    return taggedAccount(await this.overview.read(caller));
  }

  @Patch()
  @RequireScope('account:write')
  @SecretResponse()
  @ApiOperation({
    operationId: 'updateAccount',
    summary: 'Change the account',
    description:
      'A JSON merge patch (RFC 7396): null clears the industry, absent properties stay unchanged. `If-Match` ' +
      'compares only the name and the industry.',
  })
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiBody({ type: AccountPatch, examples: patchExamples })
  @ApiOkResponse({ type: AccountResponse })
  @ApiErrors(ValidationFailed, MalformedJson, PreconditionFailed)
  async change(
    @Caller() caller: Principal,
    @Body() patch: AccountPatch,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<AccountResponse>> {
    return taggedAccount(await this.overview.change(caller, patch, ifMatch));
  }

  @Patch('members/:uid')
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'updateAccountMember',
    summary: "Change a user's role",
    description: 'Takes effect with the user’s next request. The last admin cannot lose the role.',
  })
  @ApiOkResponse({ type: AccountMemberResponse })
  @ApiErrors(ValidationFailed, MalformedJson, NotFound, InvalidTransition)
  changeRole(
    @Caller() caller: Principal,
    @Param('uid') uid: string,
    @Body() { isAdmin }: RoleRequest,
  ): Promise<AccountMemberResponse> {
    return this.members.changeRole(caller, uid, isAdmin);
  }

  @Delete('members/:uid')
  @HttpCode(204)
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'removeAccountMember',
    summary: 'Remove a user from the account',
    description:
      'Admins can remove any user; other users can only remove themselves. The sessions of the user in the ' +
      'account end immediately. API keys belong to the account and keep working: revoke those that the user ' +
      'knows. The last admin cannot be removed.',
  })
  @ApiNoContentResponse({ description: 'The user is no longer in the account.' })
  @ApiErrors(NotFound, InvalidTransition)
  remove(@Caller() caller: Principal, @Param('uid') uid: string): Promise<void> {
    return this.members.remove(caller, uid);
  }
}
