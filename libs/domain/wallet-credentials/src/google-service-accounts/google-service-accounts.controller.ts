import { Body, Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  MalformedJson,
  RequireScope,
  Tagged,
  ValidationFailed,
  type Principal,
} from '@passwright/core';
import {
  GoogleServiceAccountResponse,
  GoogleServiceAccountSaved,
  GoogleServiceAccountUpload,
} from './google-service-account.dto.js';
import { IssuerDiffers, NoGoogleServiceAccount } from './google-service-accounts.errors.js';
import { GoogleServiceAccountsService } from './google-service-accounts.service.js';
import { IssuerOverviewService, tagged } from './issuer-overview.service.js';

@ApiTags('accounts')
@Controller('v1/account/walletB')
export class GoogleServiceAccountsController {
  constructor(
    private readonly serviceAccounts: GoogleServiceAccountsService,
    private readonly overview: IssuerOverviewService,
  ) {}

  @Get()
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'getGoogleServiceAccount',
    summary: 'See under which issuer the passes are at Google Wallet',
    description:
      "The account's own, else the operator's: whose it is, and whether Google takes what is written with it.",
  })
  @ApiOkResponse({ type: GoogleServiceAccountResponse })
  async get(@Caller() { accountId }: Principal): Promise<Tagged<GoogleServiceAccountResponse>> {
    const response = await this.overview.describe(accountId);
    return tagged(response, response);
  }

  @Put()
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'saveGoogleServiceAccount',
    summary: 'Bring a Google Wallet issuer with its service account, or a new key',
    description:
      'The issuer id and the key file of a service account that is a Developer of the issuer in the Google Pay & Wallet ' +
      'Console. Every node writes with it within a second. It is tried at once, and kept also when Google refuses it: ' +
      '`check` says what is missing, and an invitation takes some minutes to hold. Another issuer than the one under which ' +
      'passes are at Google is refused (409) unless `replaceIssuer` is true: those passes never update again. ' +
      'The key is kept encrypted and is never shown.',
  })
  @ApiOkResponse({ type: GoogleServiceAccountSaved })
  @ApiErrors(ValidationFailed, MalformedJson, IssuerDiffers)
  async save(
    @Caller() { accountId }: Principal,
    @Body() upload: GoogleServiceAccountUpload,
  ): Promise<Tagged<GoogleServiceAccountSaved>> {
    const check = await this.serviceAccounts.save(accountId, upload);
    const response = await this.overview.describe(accountId);
    return tagged({ ...response, check }, response);
  }

  @Delete()
  @HttpCode(204)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'deleteGoogleServiceAccount',
    summary: 'Remove the Google Wallet issuer',
    description:
      "New save links are under the operator's issuer again. Passes at Google under the removed one stay with their " +
      'holders and no longer update; brought again, the issuer goes on with them.',
  })
  @ApiNoContentResponse({ description: 'The service account and its key are gone.' })
  @ApiErrors(NoGoogleServiceAccount)
  remove(@Caller() { accountId }: Principal): Promise<void> {
    return this.serviceAccounts.remove(accountId);
  }
}
