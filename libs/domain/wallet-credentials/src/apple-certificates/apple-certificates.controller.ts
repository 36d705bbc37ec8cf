import { Body, Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
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
  AppleCertificateRequestResponse,
  AppleCertificateResponse,
  AppleCertificateUpload,
} from './apple-certificate.dto.js';
import { appleCertificateExamples } from './apple-certificate.examples.js';
import { AppleCertificateInUse, NoAppleCertificate, PassTypeDiffers } from './apple-certificates.errors.js';
import { TestAccountCredentials } from '../test-account-credentials.errors.js';
import { AppleCertificatesService } from './apple-certificates.service.js';
import { taggedCertificate } from './certificate-description.js';
import { CertificateOverviewService } from './certificate-overview.service.js';

@ApiTags('accounts')
@Controller('v1/account/walletA')
export class AppleCertificatesController {
  constructor(
    private readonly certificates: AppleCertificatesService,
    private readonly overview: CertificateOverviewService,
  ) {}

  @Get()
  @RequireScope('account:read')
  @ApiOperation({
    operationId: 'getAppleCertificate',
    summary: 'Read the Apple Wallet certificate',
    description:
      "Returns the certificate that signs the account's passes, the state of pushes, and the pending " +
      'certificate signing request.',
  })
  @ApiOkResponse({ type: AppleCertificateResponse })
  async get(@Caller() { accountId }: Principal): Promise<Tagged<AppleCertificateResponse>> {
    return taggedCertificate(await this.overview.describe(accountId));
  }

  @Put()
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'saveAppleCertificate',
    summary: 'Upload an Apple Wallet certificate',
    description:
      'Sets or renews the Pass Type ID certificate. Send a PKCS#12 file, or a certificate with its key. A ' +
      'certificate alone is enough if its key belongs to the pending request or to the current certificate. ' +
      'Encode files with Windows line ends in base64. Installed passes keep updating. The key is stored ' +
      'encrypted and never shown. 409 for another pass type, because installed passes would never update again.',
  })
  @ApiBody({ type: AppleCertificateUpload, examples: appleCertificateExamples })
  @ApiOkResponse({ type: AppleCertificateResponse })
  @ApiErrors(ValidationFailed, MalformedJson, PassTypeDiffers, TestAccountCredentials, PreconditionFailed)
  async save(
    @Caller() { accountId }: Principal,
    @Body() upload: AppleCertificateUpload,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<AppleCertificateResponse>> {
    await this.certificates.save(accountId, upload, ifMatch);
    return taggedCertificate(await this.overview.describe(accountId));
  }

  @Post('request')
  @HttpCode(200)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'requestAppleCertificate',
    summary: 'Create a certificate signing request',
    description:
      'Creates a private key and its certificate signing request, which replaces an earlier one. Upload the ' +
      "request in Apple's developer portal under your Pass Type ID. Then `PUT` the `.cer` from Apple as " +
      '`certificate`. The key never leaves the service.',
  })
  @ApiOkResponse({ type: AppleCertificateRequestResponse })
  @ApiErrors(TestAccountCredentials)
  request(@Caller() { accountId }: Principal): Promise<AppleCertificateRequestResponse> {
    return this.certificates.request(accountId);
  }

  @Delete()
  @HttpCode(204)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'deleteAppleCertificate',
    summary: 'Remove the Apple Wallet certificate',
    description:
      "Removes the account's certificate and its key. The operator's certificate signs the " +
      'passes again. Rejected with 409 while devices are registered under the certificate.',
  })
  @ApiNoContentResponse({ description: 'The certificate and its key were deleted.' })
  @ApiErrors(NoAppleCertificate, AppleCertificateInUse, PreconditionFailed)
  remove(@Caller() { accountId }: Principal, @IfMatchTags() ifMatch: IfMatch): Promise<void> {
    return this.certificates.remove(accountId, ifMatch);
  }
}
