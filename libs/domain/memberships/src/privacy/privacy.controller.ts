import type { ServerResponse } from 'node:http';
import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  sendParts,
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

const listOf = (description: string) => ({
  ...{ type: 'array', items: { type: 'object', additionalProperties: true } },
  description,
});

@ApiTags('privacy')
@Controller('v1/privacy')
export class PrivacyController {
  constructor(private readonly holders: HoldersService) {}

  @Post('export')
  @HttpCode(200)
  @RequireScope('account:write', 'passes:read', 'members:read')
  @ApiOperation({
    operationId: 'exportHolder',
    summary: 'Export all data of a holder',
    description:
      'Exports everything stored about the holder of an e-mail address or a pass: the member, the passes with ' +
      'their content and `metadata`, the mails, and the devices. Empty lists mean that nothing is stored. The ' +
      'stream breaks off when the credential is revoked. An API key needs `passes:read` and `members:read` in ' +
      'addition to `account:write`.',
  })
  @ApiBody({ type: HolderRequest, examples })
  @ApiOkResponse({
    description: 'All data of the holder, in one JSON object.',
    schema: {
      type: 'object',
      required: ['exportedAt', 'holder', 'members', 'passes'],
      properties: {
        exportedAt: { type: 'string', format: 'date-time', description: 'The time of the export.' },
        holder: { type: 'object', additionalProperties: true, description: 'The holder, as named in the request.' },
        members: listOf('The member, if the holder is one.'),
        passes: listOf('The passes, each with its devices and the mails to the holder.'),
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
    return sendParts(request, response, this.holders.export(accountId, holderName(holder)));
  }

  @Post('erase')
  @HttpCode(200)
  @RequireScope('account:write', 'passes:write', 'members:write')
  @ApiOperation({
    operationId: 'eraseHolder',
    summary: 'Erase all data of a holder',
    description:
      'Deletes everything that `export` shows. Phones that hold one of the passes, and Google Wallet, receive ' +
      'an empty void pass. This cannot be undone. You may repeat the call. docs/privacy.md lists what is kept, ' +
      'and how long. An API key needs `passes:write` and `members:write` in addition to `account:write`.',
  })
  @ApiBody({ type: HolderRequest, examples })
  @ApiOkResponse({ type: ErasedResponse })
  @ApiErrors(ValidationFailed)
  erase(@Caller() { accountId }: Principal, @Body() request: HolderRequest): Promise<ErasedResponse> {
    return this.holders.erase(accountId, holderName(request));
  }
}
