import { join } from 'node:path';
import type { IncarnationOptions } from '@passwright/database';
import type { ImagesOptions } from '@passwright/images';
import type { S3Encryption, S3Store, StorageOptions } from '@passwright/storage';
import { storageVariables } from './variables/storage-variables.js';
import type { Values } from './variables/variables.js';

const DEFAULT_REGION = 'us-east-1';
/**
 * The interval at which a node writes its incarnation mark, which reveals a restored database. It is long, because each
 * write to a bucket costs money.
 */
const BUCKET_MARK_SECONDS = 10;

/** The configuration of the storage for images and for the incarnation mark, which reveals a restored database. */
export interface StorageConfig {
  readonly storage: StorageOptions;
  readonly incarnation: IncarnationOptions;
}

/** Selects the bucket, or the folder when none is set. */
export function storageConfig(values: Values, dataDir: string, threads: number): StorageConfig {
  if (values.S3_BUCKET === undefined) {
    return { storage: { store: { kind: 'local', dir: join(dataDir, 'storage'), threads } }, incarnation: {} };
  }
  const store = s3Store(values, values.S3_BUCKET);
  return { storage: { store }, incarnation: { markEverySeconds: BUCKET_MARK_SECONDS } };
}

export function imagesOptions(values: Values, baseUrl: string): ImagesOptions {
  const imageBytesPerAccount = values.IMAGE_MIB_PER_ACCOUNT * 2 ** 20;
  return { baseUrl, imageHostsAllowed: values.IMAGE_HOSTS_ALLOWED, imageBytesPerAccount };
}

function s3Store(values: Values, bucket: string): S3Store {
  const { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_SESSION_TOKEN } = values;
  const hasKey = S3_ACCESS_KEY_ID !== undefined && S3_SECRET_ACCESS_KEY !== undefined;
  return {
    kind: 's3',
    bucket,
    region: values.S3_REGION ?? DEFAULT_REGION,
    endpoint: values.S3_ENDPOINT,
    prefix: values.S3_PREFIX,
    pathStyle: values.S3_PATH_STYLE === 'true',
    encryption: encryption(values),
    credentials: hasKey
      ? {
          accessKeyId: S3_ACCESS_KEY_ID,
          secretAccessKey: S3_SECRET_ACCESS_KEY,
          sessionToken: S3_SESSION_TOKEN,
        }
      : undefined,
  };
}

function encryption({ S3_ENCRYPTION, S3_KMS_KEY_ID }: Values): S3Encryption | undefined {
  if (S3_ENCRYPTION === 'aws:kms') return { kind: S3_ENCRYPTION, keyId: S3_KMS_KEY_ID };
  return S3_ENCRYPTION && { kind: S3_ENCRYPTION };
}

/** Lists missing variables of the bucket, and variables that have no effect. */
export function missingForStorage(environment: Readonly<Record<string, string | undefined>>): string[] {
  const isOfBucket = (name: string) => name.startsWith('S3_');
  const set = Object.keys(storageVariables).filter((name) => isOfBucket(name) && environment[name]);
  if (set.length === 0) return [];
  const needed: (keyof typeof storageVariables)[] = ['S3_BUCKET'];
  if (!environment.S3_ENDPOINT) needed.push('S3_REGION');
  if (environment.S3_ACCESS_KEY_ID || environment.S3_SESSION_TOKEN) needed.push('S3_SECRET_ACCESS_KEY');
  if (environment.S3_SECRET_ACCESS_KEY || environment.S3_SESSION_TOKEN) needed.push('S3_ACCESS_KEY_ID');
  const problems = needed
    .filter((name) => !set.includes(name))
    .map((name) => `${name} is missing; for example ${name}=${storageVariables[name].example}`);
  if (environment.S3_KMS_KEY_ID && environment.S3_ENCRYPTION !== 'aws:kms') {
    problems.push('S3_KMS_KEY_ID has no effect without S3_ENCRYPTION=aws:kms; set both, or neither');
  }
  return problems;
}
