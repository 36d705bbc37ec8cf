import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Listeners } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { QuietHoursListener } from './quiet-hours.listener.js';

/** A margin longer than any write takes, so that no write that begins before quiet hours notifies holders in them. */
const writeMs = 60_000;

/** Knows when the holders at Google may be notified. Without a listener they may always be notified. */
@Injectable()
export class GoogleQuietHours {
  private readonly listeners: Listeners<QuietHoursListener>;

  constructor(discovery: DiscoveryService) {
    this.listeners = new Listeners(discovery, QuietHoursListener);
  }

  /**
   * Returns the end of the quiet hours into which a write that begins now may fall; null if it cannot fall into quiet
   * hours.
   */
  async until(accountId: string, now: Date, tx?: EntityManager): Promise<Date | null> {
    for (const listener of this.listeners.all) {
      for (const at of [now, new Date(now.getTime() + writeMs)]) {
        const until = await listener.quietUntil(accountId, at, tx);
        if (until) return until;
      }
    }
    return null;
  }
}
