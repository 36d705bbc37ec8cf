import type { Readable } from 'node:stream';
import { appError } from '../errors/app-error.js';

/**
 * 503: storage is unavailable now, or a file that should exist is missing. The log has the cause; callers do not see
 * it.
 */
export class StorageUnavailable extends appError(503, 'storage_unavailable') {
  override readonly headers = { 'Retry-After': '1' };

  /** @param cause logged with each response; omit it if the thrower has already logged the cause */
  constructor(cause?: Error) {
    super('This node cannot use its storage of images just now. Try again; the log of the node says why.');
    this.cause = cause;
  }
}

/**
 * A blob opened for reading. The caller consumes or destroys the stream. A storage may destroy a stream that stays
 * unread.
 */
export interface OpenBlob {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

/**
 * Stores files by key. Keys are relative paths of `[A-Za-z0-9._/-]`. The key of an image contains a hash of its
 * content, so storing it twice is harmless and caches stay correct. Every method throws `StorageUnavailable` when the
 * storage fails, `NotReady` when too many calls wait for it, and `RangeError` for an invalid key.
 */
export abstract class BlobStorage {
  /** Stores a blob durably. Readers see all of its bytes or no blob. */
  abstract put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;

  /** Returns the whole blob, or null when there is none. */
  abstract get(key: string): Promise<Uint8Array | null>;

  /** Returns the blob as a stream, or null when there is none. */
  abstract open(key: string): Promise<OpenBlob | null>;

  /** Returns true if there is a blob, without reading it. */
  abstract has(key: string): Promise<boolean>;

  /** Deletes a blob. Does nothing when there is none. */
  abstract delete(key: string): Promise<void>;

  /**
   * Deletes at most `limit` blobs whose keys begin with `folder` and a slash.
   * @returns the number of deleted blobs; fewer than `limit` when none remain
   */
  abstract deleteUnder(folder: string, limit: number): Promise<number>;
}
