import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppConfig, loadConfig } from './config.js';
import { ConfigInvalid } from './config-validation.js';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'passwright-config-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const load = (environment: Record<string, string>): AppConfig => loadConfig({ DATA_DIR: dataDir, ...environment });

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    load(environment);
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems;
    throw error;
  }
  return [];
}

const aws = { S3_BUCKET: 'images', S3_REGION: 'eu-central-1' };
const key = { S3_ACCESS_KEY_ID: 'AKIAEXAMPLE', S3_SECRET_ACCESS_KEY: 'secret/+=' };

it('loadConfig selects DATA_DIR for images if no bucket is set', () => {
  expect(load({})).toMatchObject({
    storage: { store: { kind: 'local', dir: join(dataDir, 'storage') } },
    incarnation: {},
  });
});

it('loadConfig accepts an AWS bucket without access keys, and an interval of 10 seconds for its incarnation mark', () => {
  expect(load(aws)).toMatchObject({
    storage: {
      store: { kind: 's3', bucket: 'images', region: 'eu-central-1', pathStyle: false, credentials: undefined },
    },
    incarnation: { markEverySeconds: 10 },
  });
});

it('loadConfig accepts an S3-compatible service, with a key from files', () => {
  const files = Object.entries(key).map(([name, value]) => {
    const path = join(dataDir, name);
    writeFileSync(path, `${value}\n`);
    return [`${name}_FILE`, path];
  });
  const environment = {
    S3_BUCKET: 'images',
    S3_ENDPOINT: 'http://minio:9000/',
    S3_PATH_STYLE: 'true',
    S3_PREFIX: 'passwright/blue/',
    S3_SESSION_TOKEN: 'token',
    ...Object.fromEntries(files),
  };
  expect(load(environment).storage.store).toEqual({
    kind: 's3',
    bucket: 'images',
    region: 'us-east-1',
    endpoint: 'http://minio:9000',
    prefix: 'passwright/blue',
    pathStyle: true,
    encryption: undefined,
    credentials: { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret/+=', sessionToken: 'token' },
  });
});

it.each([
  [{ S3_ENCRYPTION: 'AES256' }, { kind: 'AES256' }],
  [{ S3_ENCRYPTION: 'aws:kms' }, { kind: 'aws:kms', keyId: undefined }],
  [
    { S3_ENCRYPTION: 'aws:kms', S3_KMS_KEY_ID: 'arn:aws:kms:eu-central-1:1:key/2' },
    { kind: 'aws:kms', keyId: 'arn:aws:kms:eu-central-1:1:key/2' },
  ],
])('loadConfig selects the encryption of images by %j', (variables, encryption) => {
  expect(load({ ...aws, ...variables }).storage.store).toMatchObject({ encryption });
});

it.each([
  [{ S3_BUCKET: 'images' }, ['S3_REGION is missing; for example S3_REGION=eu-central-1']],
  [{ S3_REGION: 'eu-central-1' }, [/^S3_BUCKET is missing/]],
  [{ S3_ENDPOINT: 'https://s3.example.com' }, [/^S3_BUCKET is missing/]],
  [{ ...aws, S3_ACCESS_KEY_ID: 'AKIAEXAMPLE' }, [/^S3_SECRET_ACCESS_KEY is missing/]],
  [{ ...aws, S3_SECRET_ACCESS_KEY: 'secret' }, [/^S3_ACCESS_KEY_ID is missing/]],
  [{ ...aws, S3_SESSION_TOKEN: 'x' }, [/^S3_SECRET_ACCESS_KEY is missing/, /^S3_ACCESS_KEY_ID is missing/]],
  [{ ...aws, S3_KMS_KEY_ID: 'alias/x' }, [/^S3_KMS_KEY_ID has no effect without S3_ENCRYPTION=aws:kms/]],
  [{ ...aws, S3_BUCKET: 's3://images' }, [/^S3_BUCKET must be the name of a bucket/]],
  [{ ...aws, S3_PREFIX: '/images' }, [/^S3_PREFIX must be a path/]],
  [{ ...aws, S3_PREFIX: 'a/../b' }, [/^S3_PREFIX must be a path/]],
  [{ ...aws, S3_ENDPOINT: 's3.example.com' }, [/^S3_ENDPOINT must be an http or https address/]],
  [{ ...aws, S3_ENDPOINT: 'https://key:secret@s3.example.com' }, [/^S3_ENDPOINT must have no user name/]],
  [{ ...aws, S3_ENDPOINT: 'https://key@s3.example.com' }, [/^S3_ENDPOINT must have no user name/]],
  [{ ...aws, S3_PATH_STYLE: 'yes' }, [/^S3_PATH_STYLE must be true or false/]],
  [{ ...aws, S3_ENCRYPTION: 'kms' }, [/^S3_ENCRYPTION must be AES256 or aws:kms/]],
])('loadConfig rejects %j', (environment, problems) => {
  expect(problemsOf(environment)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
});
