import type { S3ServiceException } from '@aws-sdk/client-s3';
import { s3Hint, type S3Settings } from './s3-hints.js';

/** The codes of temporary errors. Errors with status 429 or 5xx are always temporary. */
const passing = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown', 'OperationAborted', 'TimeoutError']);
const MOST_CHARACTERS = 300;

/** The bucket's response was late or incomplete. */
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

/** A successful response that cannot come from a bucket, for example the page of a proxy. It may be temporary. */
export class S3ResponseForeign extends Error {
  constructor(message: string) {
    super(`${message}: is this address a bucket?`);
    this.name = 'S3ResponseForeign';
  }
}

/** The service has responded with a list that has no end. */
export class S3ListInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'S3ListInvalid';
  }
}

/** A failed request to a bucket, for the log. Its message is the reason and the hint. */
export class S3RequestFailed extends Error {
  /** The operation, and the error of the service or of the connection. */
  readonly reason: string;
  /** A remedy as a sentence, if the error is a common mistake in the settings. */
  readonly hint: string | null;

  constructor(operation: string, error: unknown, settings: S3Settings) {
    const reason = `${operation}: ${described(error)}`;
    const hint = s3Hint(error, settings);
    super(hint === null ? reason : `${reason} ${hint}`);
    this.name = 'S3RequestFailed';
    this.reason = reason;
    this.hint = hint;
  }
}

/** Returns true if the bucket exists but has no such object. A proxy's page with status 404 does not count. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) === 'NoSuchKey';
}

/**
 * Returns true if a HEAD response may mean that there is no object. The package calls every 404 without a code
 * `NotFound`.
 */
export function mayBeMissing(error: unknown): boolean {
  return isMissing(error) || (statusOf(error) === 404 && nameOf(error) === 'NotFound');
}

/** Returns true if the same request may succeed in a moment. */
export function mayPass(error: unknown): boolean {
  if (error instanceof S3ResponseIncomplete || error instanceof S3ResponseForeign) return true;
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
  return `${problem}: ${text.slice(0, MOST_CHARACTERS)}`;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = error as Partial<S3ServiceException>;
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}
