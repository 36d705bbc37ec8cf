import { type BlobStorage, loggedError, within } from '@passwright/core';

/** The maximum time that a start or a stop waits for the storage. */
const WAIT_MS = 2000;

/** The progress of the database, recorded outside of the database. */
export interface Mark {
  readonly id: string;
  readonly beat: number;
}

/** A mark could not be written. The database itself may be fine. */
export class MarkNotWritten extends Error {
  constructor(cause: unknown) {
    super(
      `The mark in the storage that tells a rolled-back database cannot be written: ${loggedError(cause).message}`,
      { cause },
    );
    this.name = 'MarkNotWritten';
  }
}

/** Keeps the mark of each server and database in `BlobStorage`. */
export class StoredMark {
  private written = '';
  private writtenAt = -Infinity;
  private writing: Promise<void> | null = null;

  /** @param everyMs the minimum time between two writes; a write with `isLast` does not wait */
  constructor(
    private readonly storage: BlobStorage,
    private readonly everyMs: number,
  ) {}

  /** Reads the mark of a server. @returns null without a mark. @throws Error if it is damaged or not read in time */
  async read(server: string): Promise<Mark | null> {
    const bytes = await within(WAIT_MS, this.storage.get(keyOf(server)));
    if (!bytes) return null;
    const [, id, beat] = /^([0-9a-f]*) (\d{1,15})$/.exec(Buffer.from(bytes).toString()) ?? [];
    if (id !== undefined && beat !== undefined) return { id, beat: Number(beat) };
    throw new Error(
      `${keyOf(server)} in the storage is damaged. Delete it, and run "restored" if the database was restored`,
    );
  }

  /**
   * Writes the mark if it has changed and enough time has passed since the previous write.
   * @param isLast true to write the mark even if too little time has passed.
   * @throws MarkNotWritten if the write fails or takes too long
   */
  async write(server: string, { id, beat }: Mark, isLast: boolean): Promise<void> {
    const [key, text] = [keyOf(server), `${id} ${beat}`];
    const isTime = this.writing === null && performance.now() - this.writtenAt >= this.everyMs;
    if (this.written === `${key} ${text}` || !(isTime || isLast)) return;
    const before = this.writing ?? Promise.resolve();
    const writing = before
      .catch(() => undefined)
      .then(() => this.storage.put(key, Buffer.from(text), 'text/plain'))
      .then(() => {
        this.written = `${key} ${text}`;
        this.writtenAt = performance.now();
      })
      .finally(() => {
        if (this.writing === writing) this.writing = null;
      });
    this.writing = writing;
    await within(WAIT_MS, writing).catch((error: unknown) => {
      throw new MarkNotWritten(error);
    });
  }
}

/** Returns the storage key for this server and database. A copy of the database on another server has another key. */
function keyOf(server: string): string {
  return `incarnation/${server}`;
}
