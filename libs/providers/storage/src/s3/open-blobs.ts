import { Readable } from 'node:stream';
import { type OpenBlob, StorageUnavailable } from '@passwright/core';

const MOST_BYTES = 256 * 1024 * 1024;
const SLICE_BYTES = 64 * 1024;
const IDLE_MS = 30_000;

/** Streams blobs from memory, and limits the memory that slow readers use. */
export class OpenBlobs {
  private heldBytes = 0;

  constructor(private readonly mostBytes = MOST_BYTES) {}

  /**
   * Opens a blob. Its size counts towards the memory limit until the stream ends or is destroyed. Destroys a stream
   * that is not read for 30 seconds.
   * @throws StorageUnavailable
   */
  open(bytes: Uint8Array): OpenBlob {
    if (this.heldBytes + bytes.length > this.mostBytes) {
      throw new StorageUnavailable(new Error(`Readers hold ${this.heldBytes} bytes of blobs that they have not read`));
    }
    this.heldBytes += bytes.length;
    const idle = setTimeout(() => stream.destroy(new Error('The blob was not read for 30 seconds')), IDLE_MS).unref();
    const read = slices(bytes, () => idle.refresh());
    const stream = Readable.from(read, { objectMode: false, highWaterMark: SLICE_BYTES });
    // Ignore errors, because a reader that has not started to read does not listen for them yet.
    stream.on('error', () => undefined);
    stream.once('close', () => {
      clearTimeout(idle);
      this.heldBytes -= bytes.length;
    });
    return { sizeBytes: bytes.length, stream };
  }
}

/** Splits the bytes, because each chunk is copied into the memory of the reader's connection. */
function* slices(bytes: Uint8Array, onRead: () => void): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    onRead();
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}
