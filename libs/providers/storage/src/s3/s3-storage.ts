import type { Readable } from 'node:stream';
import type { OnApplicationShutdown } from '@nestjs/common';
import { BlobStorage, counted, type OpenBlob, StorageUnavailable } from '@passwright/core';
import type { ListObjectsV2Output, S3Client } from '@aws-sdk/client-s3';
import { keySegments } from '../blob-key.js';
import type { S3Store } from '../storage.options.js';
import { limitedBody } from './limited-body.js';
import { OpenBlobs } from './open-blobs.js';
import { type Attempt, attempted } from './s3-attempts.js';
import { loadS3Library, s3Client, type S3Library } from './s3-client.js';
import { requireNamedContent } from './s3-confirmation.js';
import { isMissing, mayBeMissing, S3ListInvalid, S3RequestFailed } from './s3-failure.js';

/** The maximum size of a blob: more than an uncompressed image of 2048 × 2048 pixels. */
const MOST_BLOB_BYTES = 24 * 1024 * 1024;
const DELETED_AT_ONCE = 8;

/** A blob in a list. */
export interface ListedBlob {
  readonly key: string;
  readonly sizeBytes: number;
}

/**
 * Stores blobs as objects of an S3 bucket. The name of an object is the prefix and the key of the blob. A call takes at
 * most 8 seconds plus one second for each MiB, over at most three attempts.
 */
export class S3Storage extends BlobStorage implements OnApplicationShutdown {
  private readonly client: S3Client;
  private readonly opened = new OpenBlobs();

  private constructor(
    private readonly store: S3Store,
    private readonly library: S3Library,
  ) {
    super();
    this.client = s3Client(library, store);
  }

  /** Loads the package `@aws-sdk/client-s3`. Does not connect. @throws S3PackageMissing */
  static async load(store: S3Store): Promise<S3Storage> {
    return new S3Storage(store, await loadS3Library());
  }

  /** Closes idle connections. */
  onApplicationShutdown(): void {
    this.client.destroy();
  }

  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    const { encryption } = this.store;
    const command = new this.library.PutObjectCommand({
      ...this.address(key),
      Body: bytes,
      ContentLength: bytes.length,
      ContentType: contentType,
      ServerSideEncryption: encryption?.kind,
      SSEKMSKeyId: encryption?.kind === 'aws:kms' ? encryption.keyId : undefined,
    });
    await this.requested(`put ${key}`, bytes.length, ({ signal }) =>
      this.client.send(command, { abortSignal: signal }),
    );
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.read(key, () => undefined);
  }

  /**
   * Reads the whole blob into memory first, so that a slow reader keeps no connection to the bucket open. If the name of
   * the blob is its SHA-256, as that of an image is, checks the content, because clients may cache it forever.
   * @throws StorageUnavailable if the bucket fails, or if slow readers use too much memory
   */
  async open(key: string): Promise<OpenBlob | null> {
    const bytes = await this.read(key, (content) => requireNamedContent(key, content));
    return bytes && this.opened.open(bytes);
  }

  private async read(key: string, check: (bytes: Uint8Array) => void): Promise<Uint8Array | null> {
    const command = new this.library.GetObjectCommand(this.address(key));
    return this.nullWhenMissing(`get ${key}`, async ({ signal, allow }) => {
      const { Body, ContentLength } = await this.client.send(command, { abortSignal: signal });
      allow(Math.min(ContentLength ?? 0, MOST_BLOB_BYTES));
      const limits = { mostBytes: MOST_BLOB_BYTES, expectedBytes: ContentLength, signal };
      const bytes = await limitedBody(Body as Readable, limits);
      check(bytes);
      return bytes;
    });
  }

  async has(key: string): Promise<boolean> {
    const command = new this.library.HeadObjectCommand(this.address(key));
    const found = await this.nullWhenMissing(
      `head ${key}`,
      ({ signal }) => this.client.send(command, { abortSignal: signal }),
      mayBeMissing,
    );
    // A response without a body does not say whether the object or the bucket is missing.
    return found !== null || (await this.get(key)) !== null;
  }

  async delete(key: string): Promise<void> {
    await this.deleteObject(this.address(key).Key);
  }

  async deleteUnder(folder: string, limit: number): Promise<number> {
    let deleted = 0;
    let more = true;
    while (more && deleted < limit) {
      const { objects, next } = await this.page(folder);
      const chosen = objects.slice(0, limit - deleted);
      const queue = chosen.values();
      const lane = async () => {
        for (const { name } of queue) await this.deleteObject(name);
      };
      await Promise.all(Array.from({ length: DELETED_AT_ONCE }, lane));
      deleted += chosen.length;
      more = next !== undefined;
    }
    return deleted;
  }

  /** Lists the blobs whose keys begin with `folder` and a slash. */
  async *list(folder: string): AsyncGenerator<ListedBlob, void> {
    let from: string | undefined;
    do {
      const { objects, next } = await this.page(folder, from);
      for (const { key, sizeBytes } of objects) yield { key, sizeBytes };
      from = next;
    } while (from !== undefined);
  }

  private async page(folder: string, from?: string) {
    const { Bucket, Key } = this.address(folder);
    const command = new this.library.ListObjectsV2Command({ Bucket, Prefix: `${Key}/`, ContinuationToken: from });
    const { Contents = [], next } = await this.requested(`list ${folder}`, 0, async ({ signal }) => {
      const page = await this.client.send(command, { abortSignal: signal });
      return { ...page, next: nextOf(page, from) };
    });
    const skipped = Key.length - folder.length;
    const objects = Contents.map(({ Key: name = '', Size = 0 }) => ({
      name,
      key: name.slice(skipped),
      sizeBytes: Size,
    }));
    return { objects, next };
  }

  /** Deletes an object by its name in the bucket, even if that is not a valid key. */
  private async deleteObject(name: string): Promise<void> {
    const command = new this.library.DeleteObjectCommand({ Bucket: this.store.bucket, Key: name });
    await this.nullWhenMissing(`delete ${name}`, ({ signal }) => this.client.send(command, { abortSignal: signal }));
  }

  private async nullWhenMissing<T>(
    operation: string,
    request: (attempt: Attempt) => Promise<T>,
    isNull: (error: unknown) => boolean = isMissing,
  ): Promise<T | null> {
    return this.requested(operation, 0, (attempt) =>
      request(attempt).catch((error: unknown) => {
        if (isNull(error)) return null;
        throw error;
      }),
    );
  }

  private async requested<T>(operation: string, bytes: number, request: (attempt: Attempt) => Promise<T>): Promise<T> {
    try {
      return await attempted(this.store.limits ?? {}, bytes, request);
    } catch (error) {
      const failure = new S3RequestFailed(`${operation} in the bucket ${this.store.bucket}`, error, this.store);
      counted('storage_failures', {});
      throw new StorageUnavailable(failure);
    }
  }

  /** @throws RangeError for an invalid key */
  private address(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.store;
    const path = keySegments(key).join('/');
    return { Bucket: bucket, Key: prefix ? `${prefix}/${path}` : path };
  }
}

/**
 * Returns the token of the next page.
 * @throws S3ListInvalid if the list would never end
 */
function nextOf(page: ListObjectsV2Output, from: string | undefined): string | undefined {
  if (!page.IsTruncated) return undefined;
  const { NextContinuationToken: next, Contents = [] } = page;
  if (Contents.length === 0) throw new S3ListInvalid('A page is empty although more pages follow');
  if (next === undefined || next === from) throw new S3ListInvalid('A page does not say where the next page begins');
  return next;
}
