import type { S3ServiceException } from '@aws-sdk/client-s3';

/** The codes of temporary errors, in addition to all errors with status 429 or 5xx. */
const passing = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'OperationAborted', 'TimeoutError']);
const MOST_CHARACTERS = 300;

/** The bucket has not completed its response in time, or has cut the response off. */
export class S3ResponseIncomplete extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'S3ResponseIncomplete';
  }
}

/** The response is larger than any blob or list of this service. */
export class S3ResponseTooLarge extends Error {
  constructor(mostBytes: number) {
    super(`The response has more than ${mostBytes} bytes: is this address a bucket?`);
    this.name = 'S3ResponseTooLarge';
  }
}

/** The service has responded with a list that has no end. */
export class S3ListInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'S3ListInvalid';
  }
}

/** A failed request to a bucket, for the log. */
export class S3RequestFailed extends Error {
  constructor(operation: string, error: unknown) {
    super(`${operation}: ${described(error)}`);
    this.name = 'S3RequestFailed';
  }
}

/** Returns true if the bucket exists and has no such object. A page of a proxy with status 404 does not count. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) === 'NoSuchKey';
}

/**
 * Returns true if a HEAD may have found no object. The package gives the name `NotFound` to every 404 without a code.
 */
export function mayBeMissing(error: unknown): boolean {
  return isMissing(error) || (statusOf(error) === 404 && nameOf(error) === 'NotFound');
}

/** Returns true if the same request may succeed in a moment. */
export function mayPass(error: unknown): boolean {
  if (error instanceof S3ResponseIncomplete) return true;
  const status = statusOf(error);
  if (status !== undefined) return status === 429 || status >= 500 || passing.has(nameOf(error));
  return isOfConnection(error);
}

/** Returns true if the error comes from the connection, not from missing credentials or a wrong setting. */
function isOfConnection(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return passing.has(String(name)) || /^(E[A-Z]+|EAI_AGAIN|UND_ERR_\w+)$/.test(code ?? '');
}

function described(error: unknown): string {
  const { message } = error as Error;
  const status = statusOf(error);
  const text = (message || (error as NodeJS.ErrnoException).code || 'no message').replace(/\s+/g, ' ');
  const problem = status === undefined ? nameOf(error) : `${nameOf(error)} (${status})`;
  return `${problem}: ${text.slice(0, MOST_CHARACTERS)}${hintOf(error)}`;
}

/** Returns a hint for mistakes that are common when a bucket is set up. */
function hintOf(error: unknown): string {
  const hints: Readonly<Record<string, string>> = {
    AccessDenied:
      ' The identity needs s3:GetObject, s3:PutObject and s3:DeleteObject on its objects, s3:ListBucket on the bucket, and the rights to its KMS key.',
    PermanentRedirect: ' The bucket is in another region.',
    AuthorizationHeaderMalformed: ' The bucket is in another region.',
    NoSuchBucket: ' Create the bucket, or correct its name.',
  };
  return hints[nameOf(error)] ?? '';
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = error as Partial<S3ServiceException>;
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}
