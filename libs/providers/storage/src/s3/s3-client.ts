import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Store } from '../storage.options.js';
import { limitedBody } from './limited-body.js';
import { requireConfirmed, requireWholeBlob, type ServiceResponse } from './s3-confirmation.js';
import { S3PackageMissing } from './s3-package-missing.js';

/** The AWS package. Our declarations must not contain its types, because an app must compile without it. */
export type S3Library = typeof import('@aws-sdk/client-s3');

const CONNECT_MS = 2000;
const SOCKETS = 64;
/** The maximum size of an XML response. An error, or a list of 1000 keys of at most 1 KiB, needs far less. */
const MOST_XML_BYTES = 4 * 1024 * 1024;

/** Loads the package. @throws S3PackageMissing */
export async function loadS3Library(
  load: () => Promise<S3Library> = () => import('@aws-sdk/client-s3'),
): Promise<S3Library> {
  return load().catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') throw new S3PackageMissing(error);
    throw error;
  });
}

/** Creates a client that makes each request once. Its connections stay open between requests. */
export function s3Client(library: S3Library, store: S3Store): S3Client {
  const client = new library.S3Client(configOf(store));
  // Limit the body, because the library itself would read a body of any length.
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const response = result.response as ServiceResponse;
        const isDone = response.statusCode < 300;
        if (isDone && commandName === 'GetObjectCommand') requireWholeBlob(response);
        else if (response.body instanceof Readable) {
          const bytes = await limitedBody(response.body, { mostBytes: MOST_XML_BYTES });
          response.body = Readable.from([bytes]);
          if (isDone) requireConfirmed(commandName, response, bytes);
        }
        return result;
      },
    { step: 'deserialize', priority: 'low', name: 'passwrightLimitedBodies' },
  );
  return client;
}

function configOf(store: S3Store): S3ClientConfig {
  const { region, endpoint, pathStyle = false, credentials } = store;
  const agent = { keepAlive: true, maxSockets: SOCKETS };
  return {
    region,
    endpoint,
    credentials,
    forcePathStyle: pathStyle,
    // The library must not repeat requests, because our own attempts do so.
    maxAttempts: 1,
    // Do not send `Expect`, because it would delay uploads to a service that ignores it.
    expectContinueHeader: false,
    // Send no newer checksums, because many services reject them. The signature covers the uploaded bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, httpAgent: agent, httpsAgent: agent },
  };
}
