import { Body, Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
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
      "Returns the certificate that signs the account's passes, either its own or the " +
      "operator's: source, expiry, push state, and the pending certificate signing request.",
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
      'Sets or renews the Pass Type ID certificate. Send PKCS#12, a certificate with its key, or a certificate ' +
      'alone if it has the key of the pending request or of the current certificate. Send files with Windows line ' +
      'ends in base64. Every node signs with it within a second. After a renewal with the same pass type, all ' +
      'installed passes keep updating, and devices that wait for a push get it within a minute. Another pass type ' +
      'is rejected with 409, because installed passes would never update again. The key is stored encrypted and ' +
      'never shown.',
  })
  @ApiBody({ type: AppleCertificateUpload, examples: appleCertificateExamples })
  @ApiOkResponse({ type: AppleCertificateResponse })
  @ApiErrors(ValidationFailed, MalformedJson, PassTypeDiffers, TestAccountCredentials)
  async save(
    @Caller() { accountId }: Principal,
    @Body() upload: AppleCertificateUpload,
  ): Promise<Tagged<AppleCertificateResponse>> {
    await this.certificates.save(accountId, upload);
    return taggedCertificate(await this.overview.describe(accountId));
  }

  @Post('request')
  @HttpCode(200)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'requestAppleCertificate',
    summary: 'Create a certificate signing request',
    description:
      'Creates a private key and its certificate signing request, which replaces an earlier ' +
      "one. Upload the request in Apple's developer portal under your Pass Type ID. Then send " +
      'the `.cer` that you get: `PUT` with `certificate` alone. The key never leaves the ' +
      'service.',
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
  @ApiErrors(NoAppleCertificate, AppleCertificateInUse)
  remove(@Caller() { accountId }: Principal): Promise<void> {
    return this.certificates.remove(accountId);
  }
}
