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
    summary: "Show a template's Google sync",
    description:
      'Changes of a template are sent to Google within its quota: about 1,000 passes a minute. The response ' +
      'counts the waiting and rejected passes, and says why Google rejected them.',
  })
  @ApiParam({ name: 'templateId', example: 'summer-sale' })
  @ApiOkResponse({ type: GoogleProgressResponse })
  @ApiErrors(TemplateNotFound, WalletUnavailable)
  get(@Caller() { accountId }: Principal, @Param('templateId') templateId: string): Promise<GoogleProgressResponse> {
    return this.progress.ofTemplate(accountId, templateId);
  }
}
