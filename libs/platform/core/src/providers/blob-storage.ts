import type { Readable } from 'node:stream';
import { NotReady } from '../errors/wire-errors.js';

/** 503: storage cannot be used just now, or lacks a file that it should hold. The log tells the cause, callers do not see it. */
export class StorageUnavailable extends NotReady {
  /** @param cause is logged for each response; without it the thrower has logged one */
  constructor(cause?: Error) {
    super('This node cannot use its storage of images just now. Try again; the log of the node says why.');
    this.cause = cause;
  }
}

/** A blob opened for reading. The caller consumes or destroys the stream. */
export interface OpenBlob {
  readonly sizeBytes: number;
  readonly stream: Readable;
}

/**
 * Files by key. Keys are relative paths of `[A-Za-z0-9._/-]`, and name content that never changes (they hold its hash),
 * so that putting a key twice is harmless and any cache in between stays right. Every method throws `StorageUnavailable` when
 * the storage fails.
 */
export abstract class BlobStorage {
  /** Durable once it resolves; a reader sees all of the bytes or none. */
  abstract put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;

  /** The whole blob, null when there is none. */
  abstract get(key: string): Promise<Uint8Array | null>;

  /** The blob as a stream, null when there is none. */
  abstract open(key: string): Promise<OpenBlob | null>;

  /** Harmless when there is none. */
  abstract delete(key: string): Promise<void>;

  /**
   * Deletes blobs whose keys begin with `folder` and a slash, at most `limit` of them.
   * @returns how many: fewer than `limit` when none is left
   */
  abstract deleteUnder(folder: string, limit: number): Promise<number>;
}
