import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Body, Controller, HttpCode, Logger, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, ValidationFailed } from '@passwright/core';
import { HoldersService } from './holders.service.js';
import { ErasedResponse, holderName, HolderRequest } from './privacy.dto.js';

const examples = {
  'By e-mail': { value: { email: 'ada@example.com' } },
  'By pass': { value: { templateId: 'membership', passId: '4fzTm0Jd8xYc2LqWvB7RkP' } },
};

@ApiTags('privacy')
@Controller('v1/privacy')
export class PrivacyController {
  private readonly logger = new Logger('Privacy');

  constructor(private readonly holders: HoldersService) {}

  @Post('export')
  @HttpCode(200)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'exportHolder',
    summary: 'Export all that is stored of a holder',
    description:
      'Of whoever has this e-mail, or this pass: the member, their passes with all they say and `metadata`, the passes ' +
      'that were sent to the e-mail, the mails, and what is known of devices. Nothing found is an answer too, with empty ' +
      'lists. The answer is streamed, and never kept for an `Idempotency-Key`.',
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
  async export(
    @Caller() { accountId }: Principal,
    @Body() request: HolderRequest,
    @Res() response: ServerResponse,
  ): Promise<void> {
    const parts = this.holders.export(accountId, holderName(request));
    // What fails before anything is sent is answered as an error.
    const first = await parts.next();
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
    response.write(first.done ? '' : first.value);
    await pipeline(Readable.from(parts), response).catch((error: unknown) => {
      // Who asked has gone: that is no failure of ours. Else what they have is cut off, and shows it.
      if (!isGone(error)) this.logger.error('An export broke off', error instanceof Error ? error.stack : error);
      response.destroy();
    });
  }

  @Post('erase')
  @HttpCode(200)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'eraseHolder',
    summary: 'Erase all that is stored of a holder',
    description:
      'What `export` shows is deleted. Phones that hold one of the passes get an empty one that is void, and so does ' +
      'Google Wallet. It cannot be undone. What is not there counts 0, so the call may be repeated. docs/privacy.md ' +
      'lists what stays for how long: ids and, where you have them, backups.',
  })
  @ApiBody({ type: HolderRequest, examples })
  @ApiOkResponse({ type: ErasedResponse })
  @ApiErrors(ValidationFailed)
  erase(@Caller() { accountId }: Principal, @Body() request: HolderRequest): Promise<ErasedResponse> {
    return this.holders.erase(accountId, holderName(request));
  }
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
