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
    summary: 'See which certificate the passes are signed with',
    description:
      "The account's own, else the operator's: whose it is, how long it is good, whether devices are told of changes, and " +
      'the request that waits for its certificate.',
  })
  @ApiOkResponse({ type: AppleCertificateResponse })
  async get(@Caller() { accountId }: Principal): Promise<Tagged<AppleCertificateResponse>> {
    return taggedCertificate(await this.overview.describe(accountId));
  }

  @Put()
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'saveAppleCertificate',
    summary: 'Bring an Apple Wallet certificate, or renew it',
    description:
      'A Pass Type ID certificate: as PKCS#12, as certificate and key, or alone when its key is that of the request made ' +
      'here or of the present certificate. Every node signs with it within a second. Renewed under the same pass type, ' +
      'every installed pass lives on; devices that wait for a push get it within a minute. Another pass type is refused (409): installed passes would never update again. ' +
      'Files with Windows line ends are sent in base64. The key is kept encrypted and is never shown.',
  })
  @ApiBody({ type: AppleCertificateUpload, examples: appleCertificateExamples })
  @ApiOkResponse({ type: AppleCertificateResponse })
  @ApiErrors(ValidationFailed, MalformedJson, PassTypeDiffers)
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
    summary: 'Make a key and a certificate signing request',
    description:
      "Upload the request in Apple's developer portal under your Pass Type ID, and bring the `.cer` you get: `PUT` with " +
      '`certificate` alone. The key never leaves the service. A new request replaces the one before.',
  })
  @ApiOkResponse({ type: AppleCertificateRequestResponse })
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
      "The passes are signed with the operator's again. Refused (409) while devices are registered under it.",
  })
  @ApiNoContentResponse({ description: 'The certificate and its key are gone.' })
  @ApiErrors(NoAppleCertificate, AppleCertificateInUse)
  remove(@Caller() { accountId }: Principal): Promise<void> {
    return this.certificates.remove(accountId);
  }
}
