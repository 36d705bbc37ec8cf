import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { loggedError, requestOrigin, withAnySignal, withoutSlot } from '@passwright/core';
import { type Awaited, WebhookEventsRepository } from './webhook-events.repository.js';

/** The interval of the query for all waiting requests. */
const LOOK_MS = 1000;
/** Maximum number of waiting requests. Further requests get an immediate response. */
const WAITING_AT_MOST = 5000;
/**
 * Maximum number of waiting requests of one founder's accounts that the query covers. Further requests wait until their
 * time is over, even if there are events.
 */
const WATCHED_OF_A_SHARE = 100;

interface Waiter {
  readonly awaited: Awaited;
  readonly end: () => void;
}

/**
 * Wakes waiting requests when there are events. Queries the database once a second, however many requests wait on a
 * node.
 */
@Injectable()
export class EventWatchService implements OnModuleDestroy {
  private readonly logger = new Logger('Webhooks');
  private readonly waiters = new Set<Waiter>();
  private readonly watchedByShare = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;
  private looking = false;
  private readonly stop = new AbortController();

  constructor(private readonly repository: WebhookEventsRepository) {}

  /** False if a request cannot wait, because the node is stopping or has too many waiting requests. */
  get isOpen(): boolean {
    return !this.stop.signal.aborted && this.waiters.size < WAITING_AT_MOST;
  }

  /**
   * Resolves when the account has events of any type after the position, when `over` aborts, or when the node stops.
   */
  async news(awaited: Awaited, over: AbortSignal): Promise<void> {
    if (!this.isOpen || over.aborted) return;
    const share = requestOrigin()?.share ?? awaited.accountId;
    const others = this.watchedByShare.get(share) ?? 0;
    if (others >= WATCHED_OF_A_SHARE) return withoutSlot(() => withAnySignal([over, this.stop.signal], aborted));
    this.watchedByShare.set(share, others + 1);
    try {
      await withoutSlot(() => this.wait(awaited, over));
    } finally {
      this.left(share);
    }
  }

  private left(share: string): void {
    const others = (this.watchedByShare.get(share) ?? 1) - 1;
    if (others > 0) this.watchedByShare.set(share, others);
    else this.watchedByShare.delete(share);
  }

  private wait(awaited: Awaited, over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        awaited,
        end: () => {
          this.waiters.delete(waiter);
          over.removeEventListener('abort', waiter.end);
          this.schedule();
          resolve();
        },
      };
      this.waiters.add(waiter);
      over.addEventListener('abort', waiter.end);
      this.schedule();
    });
  }

  /** Ends all waits, so that their connections are free before the server closes. */
  onModuleDestroy(): void {
    this.stop.abort();
    for (const { end } of [...this.waiters]) end();
  }

  /** Plans the next look-up, unless one is planned or running. Cancels it if no request waits. */
  private schedule(): void {
    if (this.waiters.size === 0 && this.timer) {
      clearTimeout(this.timer);
      this.timer = null;
    } else if (this.waiters.size > 0 && !this.timer && !this.looking) {
      this.timer = setTimeout(() => void this.look(), LOOK_MS);
    }
  }

  private async look(): Promise<void> {
    this.timer = null;
    this.looking = true;
    const waiters = [...this.waiters];
    try {
      const found = await this.repository.withNews(waiters.map(({ awaited }) => awaited));
      for (const place of found) waiters[place]?.end();
    } catch (error) {
      // Let the requests wait, because the database may be available again soon.
      this.logger.warn(`Events to fetch could not be looked up: ${loggedError(error).message}`);
    }
    this.looking = false;
    this.schedule();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
