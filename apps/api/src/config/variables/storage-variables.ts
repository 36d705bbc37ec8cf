import { z } from 'zod';
import { httpUrl, wholeNumber } from './variable-forms.js';

/**
 * The name of a bucket. Some services also accept capitals.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
 */
const bucket = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, 'must be the name of a bucket');

const prefix = z
  .string()
  .transform((text) => text.replace(/\/$/, ''))
  .refine(
    (text) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(text) && text.length <= 200,
    'must be a path such as passwright or passwright/blue, without a slash at its beginning',
  );

const visible = (most: number) =>
  z.string().regex(new RegExp(`^[\\x21-\\x7e]{1,${most}}$`), `must be 1 to ${most} visible ASCII characters`);

/** The variables of the storage of images. */
export const storageVariables = {
  IMAGE_MIB_PER_ACCOUNT: {
    schema: wholeNumber(0, 1_048_576).default(5120),
    about:
      'Maximum image storage of an account in MiB, for uploads and the sizes made from them; 0 for no limit. Default: 5120.',
    example: '5120',
  },
  S3_BUCKET: {
    schema: bucket.optional(),
    about:
      'Bucket for images, at AWS or a compatible service (docs/going-to-production.md). Default: none; images are ' +
      'files in DATA_DIR/storage.',
    example: 'passwright-images',
  },
  S3_REGION: {
    schema: z
      .string()
      .regex(/^[a-z0-9-]{1,50}$/, 'must be a region such as eu-central-1')
      .optional(),
    about: 'Region of the bucket. Needed at AWS. Default with S3_ENDPOINT: us-east-1.',
    example: 'eu-central-1',
  },
  S3_ENDPOINT: {
    schema: httpUrl.refine(
      (text) => text === undefined || new URL(text).username + new URL(text).password === '',
      'must have no user name and no password; set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
    ),
    about: 'Address of a compatible service, without the bucket. Default: AWS.',
    example: 'https://s3.example.com',
  },
  S3_PREFIX: {
    schema: prefix.optional(),
    about: 'Folder in the bucket, if other programs use the bucket too. Default: none.',
    example: 'passwright',
  },
  S3_PATH_STYLE: {
    schema: z.enum(['true', 'false'], 'must be true or false').default('false'),
    about:
      "Place of the bucket's name: true for the path of the address, as many compatible services need, false for its " +
      'host. Default: false.',
    example: 'true',
  },
  S3_ENCRYPTION: {
    schema: z.enum(['AES256', 'aws:kms'], 'must be AES256 or aws:kms').optional(),
    about: 'Encryption that each upload requests. Default: the setting of the bucket.',
    example: 'aws:kms',
  },
  S3_KMS_KEY_ID: {
    schema: visible(2048).optional(),
    about: 'Id, alias or ARN of the key for S3_ENCRYPTION=aws:kms. Default: the key of the bucket.',
    example: 'alias/passwright-images',
  },
  S3_ACCESS_KEY_ID: {
    schema: visible(128).optional(),
    about:
      'Key of the bucket. Default: the identity of the environment, such as the role of the machine, the container ' +
      'or the service account. Or S3_ACCESS_KEY_ID_FILE.',
    example: 'AKIAIOSFODNN7EXAMPLE',
  },
  S3_SECRET_ACCESS_KEY: {
    schema: visible(256).optional(),
    about: 'Secret of S3_ACCESS_KEY_ID. Or S3_SECRET_ACCESS_KEY_FILE.',
    example: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  S3_SESSION_TOKEN: {
    schema: visible(8192).optional(),
    about:
      'Session token of a temporary S3_ACCESS_KEY_ID. The service stops reading images when the token expires. Or ' +
      'S3_SESSION_TOKEN_FILE.',
    example: 'IQoJb3JpZ2luX2VjEXAMPLE',
  },
} as const;
