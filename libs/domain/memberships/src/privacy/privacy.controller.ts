import type { ServerResponse } from 'node:http';
import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  answerParts,
  ApiErrors,
  type AuthenticatedRequest,
  Caller,
  type Principal,
  RequireScope,
  ValidationFailed,
} from '@passwright/core';
import { HoldersService } from './holders.service.js';
import { ErasedResponse, holderName, HolderRequest } from './privacy.dto.js';

const examples = {
  'By e-mail': { value: { email: 'ada@example.com' } },
  'By pass': { value: { templateId: 'membership', passId: '4fzTm0Jd8xYc2LqWvB7RkP' } },
};

@ApiTags('privacy')
@Controller('v1/privacy')
export class PrivacyController {
  constructor(private readonly holders: HoldersService) {}

  @Post('export')
  @HttpCode(200)
  @RequireScope('account:write', 'passes:read', 'members:read')
  @ApiOperation({
    operationId: 'exportHolder',
    summary: 'Export all that is stored of a holder',
    description:
      'Of whoever has this e-mail, or this pass: the member, their passes with all they say and `metadata`, the passes ' +
      'that were sent to the e-mail, the mails, and what is known of devices. Nothing found is an answer too, with empty ' +
      'lists. The answer is streamed, breaks off when the credential is revoked, and is never kept for an `Idempotency-Key`. ' +
      'An API key needs `passes:read` and `members:read` besides `account:write`.',
  })
  @ApiBody({ type: HolderRequest, examples })
  @ApiOkResponse({
    description: 'All of it, in one JSON object.',
    schema: {
      type: 'object',
      required: ['exportedAt', 'holder', 'members', 'passes'],
      properties: {
        exportedAt: { type: 'string', format: 'date-time' },
        holder: { type: 'object', additionalProperties: true, description: 'As the request names them.' },
        members: { type: 'array', items: { type: 'object', additionalProperties: true } },
        passes: { type: 'array', items: { type: 'object', additionalProperties: true } },
      },
    },
  })
  @ApiErrors(ValidationFailed)
  export(
    @Caller() { accountId }: Principal,
    @Body() holder: HolderRequest,
    @Req() request: AuthenticatedRequest,
    @Res() response: ServerResponse,
  ): Promise<void> {
    return answerParts(request, response, this.holders.export(accountId, holderName(holder)));
  }

  @Post('erase')
  @HttpCode(200)
  @RequireScope('account:write', 'passes:write', 'members:write')
  @ApiOperation({
    operationId: 'eraseHolder',
    summary: 'Erase all that is stored of a holder',
    description:
      'What `export` shows is deleted. Phones that hold one of the passes get an empty one that is void, and so does ' +
      'Google Wallet. It cannot be undone. What is not there counts 0, so the call may be repeated. docs/privacy.md ' +
      'lists what stays for how long: ids and, where you have them, backups. An API key needs `passes:write` and ' +
      '`members:write` besides `account:write`.',
  })
  @ApiBody({ type: HolderRequest, examples })
  @ApiOkResponse({ type: ErasedResponse })
  @ApiErrors(ValidationFailed)
  erase(@Caller() { accountId }: Principal, @Body() request: HolderRequest): Promise<ErasedResponse> {
    return this.holders.erase(accountId, holderName(request));
  }
}
