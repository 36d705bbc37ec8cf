import { ApiProperty } from '@nestjs/swagger';
import { Text } from '@passwright/core';
import type { CertificateStatus } from './expiry-stage.js';

/**
 * Request body of a certificate upload, at most about 128 KiB in total. The service never returns or logs any part of
 * it.
 */
export class AppleCertificateUpload {
  @Text({
    optional: true,
    max: 65_536,
    multiline: true,
    description:
      'A PKCS#12 file (`.p12`, `.pfx`) with certificate and key, in base64, such as a Keychain export. Send no ' +
      'other property but its `passphrase`.',
  })
  pkcs12?: string | null;

  @Text({
    optional: true,
    max: 32_768,
    multiline: true,
    description:
      'The Pass Type ID certificate: PEM text, or the file in base64 (such as the `.cer` from the portal). ' +
      'Send it alone if the service already has its key.',
  })
  certificate?: string | null;

  @Text({
    optional: true,
    max: 16_384,
    multiline: true,
    description: "The certificate's RSA private key: PEM text, or the file in base64.",
  })
  privateKey?: string | null;

  @Text({
    optional: true,
    min: 0,
    max: 1024,
    description: 'The passphrase of the PKCS#12 file or of an encrypted private key.',
  })
  passphrase?: string | null;

  @Text({
    optional: true,
    max: 16_384,
    multiline: true,
    description:
      "The issuer's certificate: PEM text, or the file in base64. Default: the Apple WWDR G4 certificate, if " +
      'it is the issuer.',
  })
  intermediate?: string | null;
}

/** A certificate signing request whose certificate was not uploaded yet. */
export class AppleCertificateRequestResponse {
  @ApiProperty({
    description: "The certificate signing request as PEM text, for Apple's developer portal.",
    example: '-----BEGIN CERTIFICATE REQUEST-----\nMIIC…\n-----END CERTIFICATE REQUEST-----\n',
  })
  request!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;
}

/** The state of pushes to devices. */
export class ApplePushState {
  @ApiProperty({
    enum: ['on', 'off', 'halted'],
    description:
      "`off`: this certificate cannot send pushes. `halted`: Apple's push service rejects the certificate; the " +
      'service tries again at `retryAt`.',
  })
  state!: 'on' | 'off' | 'halted';

  @ApiProperty({ type: String, nullable: true, description: 'Why pushes are off or halted.' })
  reason!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When pushes were halted.',
  })
  since!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the next attempt while pushes are halted.',
  })
  retryAt!: string | null;
}

/** The certificate that signs an account's passes. */
export class AppleCertificateResponse {
  @ApiProperty({
    enum: ['account', 'operator', 'development'],
    description:
      "`account`: the account's own certificate. `operator`: the certificate of the service's " +
      'operator. `development`: neither exists, and phones reject the passes.',
  })
  source!: 'account' | 'operator' | 'development';

  @ApiProperty({ type: String, nullable: true, example: 'pass.com.example.club' })
  passTypeIdentifier!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'A1B2C3D4E5' })
  teamIdentifier!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Analytical Engines Ltd' })
  organizationName!: string | null;

  @ApiProperty({ type: String, nullable: true, description: "SHA-256 of the certificate's DER, in lower-case hex." })
  fingerprint!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    minimum: 0,
    description: 'Whole days until the certificate expires.',
  })
  daysLeft!: number | null;

  @ApiProperty({
    enum: ['valid', 'expiring', 'expired'],
    description:
      '`expiring`: at most 60 days are left. `expired`: the service cannot sign, and downloads ' +
      'return 503 `wallet_unavailable`.',
  })
  status!: CertificateStatus;

  @ApiProperty({ description: 'True for a certificate from a development chain. Phones reject passes signed with it.' })
  development!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'Why the service cannot sign with the certificate.' })
  problem!: string | null;

  @ApiProperty({
    type: AppleCertificateRequestResponse,
    nullable: true,
    description: 'The pending certificate signing request.',
  })
  request!: AppleCertificateRequestResponse | null;

  @ApiProperty({ type: ApplePushState })
  push!: ApplePushState;
}
