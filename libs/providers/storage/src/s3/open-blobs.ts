import { Readable } from 'node:stream';
import { currentShare, type OpenBlob, StorageUnavailable } from '@passwright/core';

const MOST_BYTES = 256 * 1024 * 1024;
const SLICE_BYTES = 64 * 1024;
const IDLE_MS = 30_000;

/**
 * Streams blobs from memory, and limits the memory that slow readers use. A caller may hold only as many bytes as stay
 * free: half of the memory if no other caller holds any.
 */
export class OpenBlobs {
  private heldBytes = 0;
  private readonly heldByCaller = new Map<string, number>();

  constructor(private readonly mostBytes = MOST_BYTES) {}

  /**
   * Opens a blob. Its size counts towards the memory limit until the stream ends or is destroyed. Destroys a stream
   * that is not read for 30 seconds.
   * @throws StorageUnavailable
   */
  open(bytes: Uint8Array): OpenBlob {
    const release = this.hold(currentShare(), bytes.length);
    const idle = setTimeout(() => stream.destroy(new Error('The blob was not read for 30 seconds')), IDLE_MS).unref();
    const read = slices(bytes, () => idle.refresh());
    const stream = Readable.from(read, { objectMode: false, highWaterMark: SLICE_BYTES });
    // Ignore errors, because a reader that has not started to read does not listen for them yet.
    stream.on('error', () => undefined);
    stream.once('close', () => {
      clearTimeout(idle);
      release();
    });
    return { sizeBytes: bytes.length, stream };
  }

  /** Counts bytes that a caller holds. @returns a function that stops counting them. @throws StorageUnavailable */
  private hold(caller: string, bytes: number): () => void {
    const own = this.heldByCaller.get(caller) ?? 0;
    if (own + bytes > this.mostBytes - this.heldBytes - bytes) {
      const held = `Readers hold ${this.heldBytes} bytes of blobs that they have not read`;
      throw new StorageUnavailable(new Error(`${held}, ${own} of them the caller`));
    }
    this.add(caller, bytes);
    return () => this.add(caller, -bytes);
  }

  private add(caller: string, bytes: number): void {
    const own = (this.heldByCaller.get(caller) ?? 0) + bytes;
    this.heldBytes += bytes;
    if (own > 0) this.heldByCaller.set(caller, own);
    else this.heldByCaller.delete(caller);
  }
}

/** Splits the bytes, because each chunk is copied into the memory of the reader's connection. */
function* slices(bytes: Uint8Array, onRead: () => void): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    onRead();
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}
