import { randomBytes } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BlobStorage, Listeners, loggedError, nameVersionsOf } from '@passwright/core';
import { CLOCK_JUMP_MS, DatabaseClock } from '../clock/database-clock.js';
import { Database } from '../database.js';
import { IncarnationBeganListener } from './incarnation-began.listener.js';
import { IncarnationOptions } from './incarnation.options.js';
import { IncarnationRepository, type SeenIncarnation } from './incarnation.repository.js';
import { type Mark, MarkNotWritten, StoredMark } from './stored-mark.js';

const LOOK_MS = 1000;

/**
 * Detects a restored, rolled back or promoted database and begins a new incarnation. Entity tags and cursors of the
 * lost history become invalid immediately, and every `IncarnationBeganListener` runs in the same transaction. To detect
 * a roll-back, the service increments a counter in the database, the heartbeat, at most once a second while clients
 * write, and stores a recent value, the mark, in `BlobStorage`. A database with a lower heartbeat has lost changes.
 */
@Injectable()
export class IncarnationsService implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Database');
  private readonly listeners: Listeners<IncarnationBeganListener>;
  /** The highest mark that this process has read or written. */
  private known: Mark | null = null;
  private readonly storedMark: StoredMark;
  /** False until the mark in storage, or its absence, is known. */
  private isMarkRead = false;
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;
  private isFailing = false;
  /** True while this process knows that the database's clock was set back, and that later times are still recorded. */
  private knowsStepBack = false;

  constructor(
    private readonly options: IncarnationOptions,
    private readonly database: Database,
    private readonly repository: IncarnationRepository,
    storage: BlobStorage,
    discovery: DiscoveryService,
    @Optional() private readonly clock?: DatabaseClock,
  ) {
    this.listeners = new Listeners(discovery, IncarnationBeganListener);
    this.storedMark = new StoredMark(storage, (options.markEverySeconds ?? 0) * 1000);
  }

  /** Checks for a new incarnation before the node serves its first request. */
  async onModuleInit(): Promise<void> {
    if (this.options.watch === false) return;
    await this.lookQuietly();
    this.schedule();
  }

  /** Records the last heartbeat, so that the mark equals the database after a planned stop. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.options.watch === false) return;
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.looking;
    await this.lookQuietly();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /** Begins a new incarnation unconditionally, as after a restore. @returns its id */
  async begin(reason: string): Promise<string> {
    const seen = await this.repository.see();
    if (!seen) throw new Error('The database is a standby: ask the primary');
    await this.readMark(seen);
    await this.replace(reason, this.known, () => true);
    const { id } = (await this.repository.see()) ?? seen;
    return id;
  }

  /** Compares the database with the known mark and increments the heartbeat. */
  async look(): Promise<void> {
    const seen = await this.repository.see();
    if (!seen) return;
    if (!this.isMarkRead) await this.readMark(seen);
    const mark = this.known;
    if (seen.server === null) await this.adopt();
    const reason = replacedBy(seen, mark);
    if (reason) await this.replace(reason, mark, (locked) => replacedBy(locked, mark) !== null);
    const now = reason ? await this.repository.see() : seen;
    if (!now) return;
    await this.compareClock(now);
    nameVersionsOf(now.id);
    this.database.incarnation = now.id;
    // Increment only after reading the mark. Otherwise the heartbeat could overtake the mark, which would hide a lost
    // history.
    const beats = now.hasMoved && this.isMarkRead;
    const beat = beats ? ((await this.repository.beat(now.id, now.beat)) ?? now.beat) : now.beat;
    this.known = { id: now.id, beat };
    if (this.isMarkRead) await this.storedMark.write(now.here.server, this.known, this.stopped);
  }

  /**
   * Starts the repairs after the clock was set back, even if no node noticed it. Compares the clock with the recorded
   * time of the last heartbeat.
   */
  private async compareClock({ beatAheadMs }: SeenIncarnation): Promise<void> {
    if (!this.clock || beatAheadMs <= CLOCK_JUMP_MS) return;
    if (!this.knowsStepBack) this.clock.noteStepBack(beatAheadMs);
    else if (!this.clock.wentBack) await this.repository.lowerBeatTime();
    this.knowsStepBack = this.clock.wentBack;
  }

  private async adopt(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const locked = await this.repository.seeLocked(tx);
      if (locked?.server === null) await this.repository.adopt(tx, locked.here);
    });
  }

  private async replace(
    reason: string,
    mark: Mark | null,
    stillHolds: (locked: SeenIncarnation) => boolean,
  ): Promise<void> {
    const begun = await this.database.transaction(async (tx) => {
      const locked = await this.repository.seeLocked(tx);
      if (!locked || !stillHolds(locked)) return null;
      const id = randomBytes(5).toString('hex');
      await this.repository.begin(tx, id, locked, Math.max(locked.beat, mark?.beat ?? 0) + 1, reason);
      for (const listener of this.listeners.all) await listener.incarnationBegan(tx, id);
      return id;
    });
    if (begun === null) return;
    this.logger.warn(
      `The database ${reason}: incarnation ${begun} begins. Every registered phone is pushed, Google Wallet objects are ` +
        'written again, and cursors of events from before are rejected.',
    );
  }

  /** Reads the mark in storage. If that fails, the next check tries again, because there may be a mark. */
  private async readMark({ here }: SeenIncarnation): Promise<void> {
    try {
      const stored = await this.storedMark.read(here.server);
      this.isMarkRead = true;
      if (stored && stored.beat >= (this.known?.beat ?? 0)) this.known = stored;
    } catch (error) {
      if (this.isFailing) return;
      this.logger.warn(
        `The mark in the storage that tells a rolled-back database cannot be read: ${loggedError(error).message}`,
      );
      this.isFailing = true;
    }
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.lookQuietly().then(() => this.schedule());
    }, LOOK_MS).unref();
  }

  /** Runs `look` and logs a failure; the next call, a second later, tries again. */
  private async lookQuietly(): Promise<void> {
    try {
      await this.look();
      if (this.isMarkRead) this.isFailing = false;
    } catch (error) {
      const { message } = loggedError(error);
      const say =
        error instanceof MarkNotWritten
          ? error.message
          : `It is not known at the moment whether the database was restored: ${message}`;
      if (!this.isFailing) this.logger.warn(say);
      this.isFailing = true;
    }
  }
}

/** Returns the reason why this database is not the known one; null if it is the known one. */
function replacedBy({ id, server, timeline, beat, here }: SeenIncarnation, mark: Mark | null): string | null {
  if (server !== null && server !== here.server) return 'was restored into another server or database';
  if (timeline !== null && timeline !== here.timeline) return 'was promoted, or restored to a point in time';
  if (mark && (mark.beat > beat || (mark.beat === beat && mark.id !== id))) return 'was rolled back or restored';
  return null;
}
