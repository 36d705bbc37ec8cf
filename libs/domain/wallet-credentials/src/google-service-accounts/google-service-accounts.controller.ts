import { Body, Controller, Delete, Get, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  type IfMatch,
  IfMatchTags,
  MalformedJson,
  PreconditionFailed,
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
import { TestAccountCredentials } from '../test-account-credentials.errors.js';
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
    summary: 'Read the Google Wallet issuer',
    description:
      "Returns the Google issuer of the account's passes, its service account, and whether Google accepts its writes.",
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
    summary: 'Set the Google Wallet issuer',
    description:
      'Sets the issuer id and the key file of a service account, or replaces its key. The service account must ' +
      'be a Developer of the issuer in the Google Pay & Wallet Console; an invitation there takes some minutes ' +
      'to take effect. The service stores the key even if Google rejects it: `check` says what is missing. The ' +
      'key is stored encrypted and never shown. 409 if passes exist at Google under another issuer, unless ' +
      '`replaceIssuer` is true: those passes never update again.',
  })
  @ApiOkResponse({ type: GoogleServiceAccountSaved })
  @ApiErrors(ValidationFailed, MalformedJson, IssuerDiffers, TestAccountCredentials, PreconditionFailed)
  async save(
    @Caller() { accountId }: Principal,
    @Body() upload: GoogleServiceAccountUpload,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<GoogleServiceAccountSaved>> {
    const check = await this.serviceAccounts.save(accountId, upload, ifMatch);
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
      "Removes the account's issuer and its service account. New save links use the operator's issuer again. " +
      'Passes under the removed issuer stay with their holders, but update only if you set the issuer again.',
  })
  @ApiNoContentResponse({ description: 'The service account and its key were deleted.' })
  @ApiErrors(NoGoogleServiceAccount, PreconditionFailed)
  remove(@Caller() { accountId }: Principal, @IfMatchTags() ifMatch: IfMatch): Promise<void> {
    return this.serviceAccounts.remove(accountId, ifMatch);
  }
}
