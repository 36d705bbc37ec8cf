import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { loggedError } from '@passwright/core';
import { Database } from '@passwright/database';
import { DeviceActivityRepository, type FetchedPass, type ListedDevice } from './device-activity.repository.js';

const FLUSH_MS = 1000;
const MOST_DEVICES = 20_000;
const MOST_PASSES = 20_000;
/** Maximum number of fetches of one pass in memory between two flushes. The oldest are dropped. */
const MOST_FETCHES = 10;

/**
 * Records what devices request, so that the service knows which devices are up to date. Keeps the activity in memory
 * and writes it in bulk, about once a second and on shutdown. After a crash, the devices whose activity is lost count
 * as outdated until their next request. When memory is full, drops the oldest activity.
 */
@Injectable()
export class DeviceActivity implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Devices');
  /** The incarnation of the database to which `lists` and `fetches` belong. A restore begins a new incarnation. */
  private incarnation: string | null;
  private lists = new Map<string, ListedDevice>();
  private fetches = new Map<string, FetchedPass[]>();
  private timer: NodeJS.Timeout | null = null;
  private lastFlush: Promise<unknown> = Promise.resolve();
  private stopping = false;

  constructor(
    private readonly database: Database,
    private readonly repository: DeviceActivityRepository,
  ) {
    this.incarnation = database.incarnation;
  }

  /** Records that a device has requested its changed passes. */
  listed(device: ListedDevice): void {
    this.forgetLostHistory();
    const key = `${device.passTypeIdentifier}\n${device.deviceLibraryIdentifier}`;
    this.lists.delete(key);
    makeRoom(this.lists, MOST_DEVICES);
    this.lists.set(key, device);
    this.schedule();
  }

  /** Records that an unknown device has received a pass, or learned that its version is current. */
  fetched(pass: FetchedPass): void {
    this.forgetLostHistory();
    const key = `${pass.accountId}\n${pass.serialNumber}`;
    const others = this.fetches.get(key) ?? [];
    this.fetches.delete(key);
    makeRoom(this.fetches, MOST_PASSES);
    this.fetches.set(key, [...others.slice(1 - MOST_FETCHES), pass]);
    this.schedule();
  }

  /**
   * Writes the activity that this node has recorded. If that fails, the activity stays in memory until the next flush.
   */
  flush(): Promise<void> {
    const turn = this.lastFlush.then(() => this.write());
    this.lastFlush = turn.catch(() => undefined);
    return turn;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    if (this.timer) clearTimeout(this.timer);
    await this.flushQuietly();
  }

  /** Drops the activity after a restore, because it may refer to versions that no longer exist. */
  private forgetLostHistory(): void {
    if (this.incarnation === this.database.incarnation) return;
    this.incarnation = this.database.incarnation;
    this.lists = new Map();
    this.fetches = new Map();
  }

  private schedule(): void {
    if (this.stopping) void this.flushQuietly();
    else this.timer ??= setTimeout(() => void this.flushQuietly(), FLUSH_MS).unref();
  }

  private async flushQuietly(): Promise<void> {
    this.timer = null;
    try {
      await this.flush();
    } catch (error) {
      this.logger.warn(`What devices have asked for is not written yet: ${loggedError(error).message}`);
      if (!this.stopping) this.schedule();
    }
  }

  private async write(): Promise<void> {
    this.forgetLostHistory();
    const { incarnation, lists, fetches } = this;
    if (lists.size === 0 && fetches.size === 0) return;
    this.lists = new Map();
    this.fetches = new Map();
    try {
      await this.repository.write(incarnation, [...lists.values()], [...fetches.values()].flat());
    } catch (error) {
      if (incarnation !== this.incarnation) return;
      // Replace lists of the same devices with those that arrived during the write, which are newer.
      this.lists = new Map([...lists, ...this.lists]);
      for (const [key, later] of this.fetches) {
        const earlier = fetches.get(key) ?? [];
        fetches.delete(key);
        fetches.set(key, [...earlier, ...later].slice(-MOST_FETCHES));
      }
      this.fetches = fetches;
      throw error;
    }
  }
}

/** Deletes the oldest entry of a full map. A map keeps insertion order. */
function makeRoom(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size >= most) map.delete(oldest);
}
