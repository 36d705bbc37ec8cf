import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, WalletUnavailable } from '@passwright/core';
import { TemplateNotFound } from '@passwright/templates';
import { GoogleProgressResponse } from './google-progress.dto.js';
import { GoogleProgressService } from './google-progress.service.js';

@ApiTags('walletB')
@Controller('v1/templates')
export class GoogleProgressController {
  constructor(private readonly progress: GoogleProgressService) {}

  @Get(':templateId/walletB')
  @RequireScope('templates:read')
  @ApiOperation({
    operationId: 'getGoogleProgress',
    summary: 'How far Google Wallet is in step with a template',
    description:
      'Changes of a template, an archive included, reach Google one request at a time, as its quota allows: 1,000 passes ' +
      'in about a minute. Here is what is done, what waits, and what Google refuses and why.',
  })
  @ApiParam({ name: 'templateId', example: 'summer-sale' })
  @ApiOkResponse({ type: GoogleProgressResponse })
  @ApiErrors(TemplateNotFound, WalletUnavailable)
  get(@Caller() { accountId }: Principal, @Param('templateId') templateId: string): Promise<GoogleProgressResponse> {
    return this.progress.ofTemplate(accountId, templateId);
  }
}
