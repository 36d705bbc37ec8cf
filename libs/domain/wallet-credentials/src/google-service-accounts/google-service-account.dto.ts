import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Flag, Text } from '@passwright/core';
import { ValidateBy } from 'class-validator';

/** Maximum length of a key file in characters. Google's key files have about 2,400 characters. */
const MAX_FILE_LENGTH = 16_384;

/** A key file from Google with a shortened key. */
const keyFile = {
  type: 'service_account',
  project_id: 'example-club',
  private_key_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f001122334',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIE…\n-----END PRIVATE KEY-----\n',
  client_email: 'passes@example-club.iam.gserviceaccount.com',
};

/** Accepts JSON as an object or as text. */
function KeyFile(description: string): PropertyDecorator {
  const check = ValidateBy({
    name: 'keyFile',
    validator: {
      validate: isKeyFile,
      defaultMessage: () =>
        `$property must be the key file of a service account, as a JSON object or as its text: at most ${MAX_FILE_LENGTH} characters`,
    },
  });
  const forms = [
    { type: 'object', additionalProperties: true },
    { type: 'string', minLength: 1, maxLength: MAX_FILE_LENGTH },
  ];
  return applyDecorators(ApiProperty({ oneOf: forms, description, example: keyFile, writeOnly: true }), check);
}

function isKeyFile(value: unknown): boolean {
  if (typeof value === 'string') return value.length > 0 && value.length <= MAX_FILE_LENGTH;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && JSON.stringify(value).length <= MAX_FILE_LENGTH;
}

/** Request body of a service account upload. The service never returns or logs any part of the key. */
export class GoogleServiceAccountUpload {
  @Text({
    max: 20,
    pattern: /^\d{10,20}$/,
    patternHint:
      '10 to 20 digits, as the Google Pay & Wallet Console shows it beside «Google Wallet API»: it is neither the number ' +
      "of the Cloud project, nor the service account's client_id, nor a merchant id",
    description:
      'The issuer id, as the Google Pay & Wallet Console shows it. Send it as text: a JSON ' +
      'number would lose its last digits.',
    example: '3388000000012345678',
  })
  issuerId!: string;

  @KeyFile(
    "The service account's key file from Google Cloud (JSON): the object, or the file's text. The service uses `client_email`, " +
      '`private_key` (RSA, PEM) and `private_key_id`, and stores nothing else; `type` must be `service_account`.',
  )
  serviceAccount!: object | string;

  @Flag({
    optional: true,
    description:
      'Accepts another issuer although passes exist at Google under the current one. Those ' +
      'passes never update again. Default: false.',
  })
  replaceIssuer?: boolean | null;
}

/** The issuer of an account's passes at Google Wallet. */
export class GoogleServiceAccountResponse {
  @ApiProperty({
    enum: ['account', 'operator', 'development'],
    description:
      "`account`: the account's own issuer. `operator`: the issuer of the service's operator. " +
      '`development`: neither exists, and the service writes nothing to Google.',
  })
  source!: 'account' | 'operator' | 'development';

  @ApiProperty({ type: String, nullable: true, example: '3388000000012345678' })
  issuerId!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'passes@example.iam.gserviceaccount.com' })
  clientEmail!: string | null;

  @ApiProperty({
    description: 'True if Google does not know the issuer. Save links then show the passes but save nothing.',
  })
  development!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: "When the account uploaded its service account; null for the operator's.",
  })
  uploadedAt!: string | null;

  @ApiProperty({
    enum: ['working', 'halted'],
    description:
      '`halted`: Google rejects the credential, or its key cannot be decrypted, so the service ' +
      'writes nothing. `problem` says why. Changes wait.',
  })
  state!: 'working' | 'halted';

  @ApiProperty({ type: String, nullable: true, description: 'Why writing is halted.' })
  problem!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the next attempt while writing is halted.',
  })
  retryAt!: string | null;
}

/** The result of a test call to Google. */
export class GoogleServiceAccountCheck {
  @ApiProperty({ description: 'True if Google lets the service account read the passes of the issuer.' })
  works!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the check failed, or why Google could not be reached.',
  })
  problem!: string | null;
}

/** The saved service account, and the result of its test. */
export class GoogleServiceAccountSaved extends GoogleServiceAccountResponse {
  @ApiProperty({ type: GoogleServiceAccountCheck })
  check!: GoogleServiceAccountCheck;
}
