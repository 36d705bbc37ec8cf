import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { KeyUnusable, PersonalData } from '@passwright/accounts';
import { BlobStorage, loggedError, NotReady } from '@passwright/core';
import { CLOCK_OFF_AT_MOST_MS, Database, DatabaseClock, databaseError } from '@passwright/database';
import { S3Storage } from '@passwright/storage';
import { Probe, ProbePace } from './probe.js';

/** The size of the test object, larger than a page of the disk, so that a full disk makes the write fail. */
const PROBE_BYTES = 64 * 1024;
const PROBE_KEY = 'readiness/probe';

/** Checks whether this node can serve every kind of request. */
@Injectable()
export class ReadinessService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Readiness');
  private readonly connectionProbe: Probe;
  private readonly databaseProbe: Probe;
  private readonly storageProbe: Probe;
  private readonly keyProbe: Probe;
  private isKeyProven = false;
  private stopping = false;
  private reported: string | null = null;

  constructor(
    database: Database,
    storage: BlobStorage,
    personalData: PersonalData,
    private readonly clock: DatabaseClock,
    pace: ProbePace,
  ) {
    this.connectionProbe = new Probe(() => database.proveReachable(), { ...pace, everyMs: pace.retryMs });
    this.databaseProbe = new Probe(() => database.proveWritable(), pace);
    const bytes = randomBytes(PROBE_BYTES);
    const tryStorage = async () => {
      await storage.put(PROBE_KEY, bytes, 'application/octet-stream');
      // Read the object too, because write permission does not include read permission. Do not compare the bytes,
      // because another node may have overwritten them.
      if (!(await storage.get(PROBE_KEY))) throw new Error('The object that was written is missing');
    };
    // Tolerate a short failure of a bucket, because all nodes share it and would become unready together.
    this.storageProbe = new Probe(tryStorage, pace, () => (storage instanceof S3Storage ? pace.bucketGraceMs : 0));
    this.keyProbe = new Probe(() => personalData.requireKeyOfUsers(), pace);
  }

  beforeApplicationShutdown(): void {
    this.stop();
  }

  /** Makes this node report that it is not ready. */
  stop(): void {
    this.stopping = true;
  }

  /** Checks the node. @throws NotReady with the reason */
  async check(): Promise<void> {
    const problem = await this.problem();
    if (problem !== null) throw new NotReady(problem);
  }

  /** Checks the node. @returns why it is not ready, or null if it is */
  async problem(): Promise<string | null> {
    return this.stopping ? 'This node is shutting down; ask another.' : this.reason();
  }

  private async reason(): Promise<string | null> {
    const [connection, writes, storage] = await Promise.all([
      this.connectionProbe.failure(),
      this.databaseProbe.failure(),
      this.storageProbe.failure(),
    ]);
    const database = connection ?? writes;
    if (database) return this.report(`The database ${databaseError(database)}; see the logs.`, database);
    const key = await this.keyFailure();
    if (key) return this.report('The personal data of users cannot be read; see the logs.', key);
    if (storage) return this.report('The storage of images cannot be used; see the logs.', storage);
    const aheadMs = this.clock.nodeAheadMs;
    if (Math.abs(aheadMs) > CLOCK_OFF_AT_MOST_MS) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000);
      return this.report(`The clock of this node is ${seconds} s off the database's; check NTP on both.`);
    }
    return this.report(null);
  }

  /**
   * Checks that the master keys decrypt the encryption key of user data. Stops checking after a success. A failure
   * because of busy connections does not count.
   */
  private async keyFailure(): Promise<Error | null> {
    if (this.isKeyProven) return null;
    const failure = await this.keyProbe.failure();
    this.isKeyProven = failure === null;
    return failure instanceof KeyUnusable ? (failure.cause as Error) : null;
  }

  /** Logs the reason when it changes. */
  private report(reason: string | null, cause?: Error): string | null {
    const kind = reason?.replace(/\d+/, '') ?? null;
    if (kind !== this.reported) {
      this.reported = kind;
      if (reason === null) this.logger.log('This node is ready again');
      else this.logger.warn(`This node is not ready. ${reason}${cause ? ` ${loggedError(cause).message}` : ''}`);
    }
    return reason;
  }
}
