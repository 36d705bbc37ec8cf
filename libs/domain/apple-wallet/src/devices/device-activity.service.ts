import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { loggedError, versionSuffix } from '@passwright/core';
import { DeviceActivityRepository, type FetchedPass, type ListedDevice } from './device-activity.repository.js';

const FLUSH_MS = 1000;
const MOST_DEVICES = 20_000;
const MOST_PASSES = 20_000;
/** Of one pass between two flushes: as many devices can have fetched it and be told apart. */
const MOST_FETCHES = 10;

/**
 * Notes what devices ask for, so that it can be told how far they are: in memory, written in bulk about once a second and
 * when the node stops, so that a request costs no write. What a node that dies has not written is lost: its devices count
 * as behind until they ask again. When too much comes at once, the oldest is forgotten.
 */
@Injectable()
export class DeviceActivity implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Devices');
  /** The incarnation of the database that the notes below belong to. */
  private incarnation = versionSuffix();
  private lists = new Map<string, ListedDevice>();
  private fetches = new Map<string, FetchedPass[]>();
  private timer: NodeJS.Timeout | null = null;
  private lastFlush: Promise<unknown> = Promise.resolve();
  private stopping = false;

  constructor(private readonly repository: DeviceActivityRepository) {}

  /** A device has asked what has changed. */
  listed(device: ListedDevice): void {
    this.forgetLostHistory();
    const key = `${device.passTypeIdentifier}\n${device.deviceLibraryIdentifier}`;
    this.lists.delete(key);
    makeRoom(this.lists, MOST_DEVICES);
    this.lists.set(key, device);
    this.schedule();
  }

  /** A device, not known which, has got a pass, or been told that it has the current one. */
  fetched(pass: FetchedPass): void {
    this.forgetLostHistory();
    const key = `${pass.accountId}\n${pass.serialNumber}`;
    const others = this.fetches.get(key) ?? [];
    this.fetches.delete(key);
    makeRoom(this.fetches, MOST_PASSES);
    this.fetches.set(key, [...others.slice(1 - MOST_FETCHES), pass]);
    this.schedule();
  }

  /** Writes what has been noted on this node so far; what cannot be written now is kept for the next time. */
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

  /** Versions that a restore has undone must not count as seen. */
  private forgetLostHistory(): void {
    if (this.incarnation === versionSuffix()) return;
    this.incarnation = versionSuffix();
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
    const { lists, fetches } = this;
    if (lists.size === 0 && fetches.size === 0) return;
    this.lists = new Map();
    this.fetches = new Map();
    try {
      await this.repository.write([...lists.values()], [...fetches.values()].flat());
    } catch (error) {
      // What came meanwhile is newer.
      this.lists = new Map([...lists, ...this.lists]);
      this.fetches = new Map([...fetches, ...this.fetches]);
      throw error;
    }
  }
}

/** A map keeps the order in which its entries were set. */
function makeRoom(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size >= most) map.delete(oldest);
}
