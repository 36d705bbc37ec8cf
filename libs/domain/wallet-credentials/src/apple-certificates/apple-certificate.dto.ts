import { ApiProperty } from '@nestjs/swagger';
import { Text } from '@passwright/core';
import type { CertificateStatus } from './certificate-state.js';

/** Body of a certificate that is brought: nothing of it is ever answered or logged. Together at most about 128 KiB. */
export class AppleCertificateUpload {
  @Text({
    optional: true,
    max: 65_536,
    multiline: true,
    description:
      'A PKCS#12 file (`.p12`, `.pfx`) with certificate and key, in base64; a Keychain export will do. Nothing else is ' +
      'needed then but its `passphrase`.',
  })
  pkcs12?: string | null;

  @Text({
    optional: true,
    max: 32_768,
    multiline: true,
    description:
      'The Pass Type ID certificate: PEM text, or the file in base64 (such as the `.cer` of the portal). Alone when its key ' +
      'is that of the request made here, or that of the present certificate.',
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
    description: 'Of the PKCS#12 file, or of an encrypted private key.',
  })
  passphrase?: string | null;

  @Text({
    optional: true,
    max: 16_384,
    multiline: true,
    description:
      'The certificate of the issuer: PEM text, or the file in base64. Default: the Apple WWDR certificate that issued it, ' +
      'where the service has it (G4).',
  })
  intermediate?: string | null;
}

/** A request that waits for its certificate. */
export class AppleCertificateRequestResponse {
  @ApiProperty({
    description: 'The certificate signing request, PEM text: what the developer portal takes.',
    example: '-----BEGIN CERTIFICATE REQUEST-----\nMIIC…\n-----END CERTIFICATE REQUEST-----\n',
  })
  request!: string;

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string;
}

/** Whether devices are told of changes. */
export class ApplePushState {
  @ApiProperty({
    enum: ['on', 'off', 'halted'],
    description:
      '`off`: with this certificate no push can be sent. `halted`: the push service refuses it; it is tried again at `retryAt`, ' +
      'and within a minute with another certificate.',
  })
  state!: 'on' | 'off' | 'halted';

  @ApiProperty({ type: String, nullable: true, description: 'Why it is not on.' })
  reason!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Halted since.' })
  since!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When a halted one is tried again.' })
  retryAt!: string | null;
}

/** What the passes of an account are signed with. */
export class AppleCertificateResponse {
  @ApiProperty({
    enum: ['account', 'operator', 'development'],
    description:
      "`account`: its own. `operator`: that of the service's operator. `development`: neither is there, phones refuse the passes.",
  })
  source!: 'account' | 'operator' | 'development';

  @ApiProperty({ type: String, nullable: true, example: 'pass.com.example.club' })
  passTypeIdentifier!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'A1B2C3D4E5' })
  teamIdentifier!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Analytical Engines Ltd' })
  organizationName!: string | null;

  @ApiProperty({ type: String, nullable: true, description: "SHA-256 of the certificate's DER, lower-case hex." })
  fingerprint!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expiresAt!: string | null;

  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, description: 'Whole days until then.' })
  daysLeft!: number | null;

  @ApiProperty({
    enum: ['valid', 'expiring', 'expired'],
    description:
      '`expiring`: 60 days or less are left. `expired`: nothing is signed any more, and downloads answer 503 `wallet_unavailable`.',
  })
  status!: CertificateStatus;

  @ApiProperty({ description: 'Made by a development chain: phones refuse what it signs.' })
  development!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'What keeps the service from signing with it.' })
  problem!: string | null;

  @ApiProperty({
    type: AppleCertificateRequestResponse,
    nullable: true,
    description: 'One that waits for its certificate.',
  })
  request!: AppleCertificateRequestResponse | null;

  @ApiProperty({ type: ApplePushState })
  push!: ApplePushState;
}
