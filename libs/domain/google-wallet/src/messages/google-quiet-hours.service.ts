import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Listeners } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { QuietHoursListener } from './quiet-hours.listener.js';

/** Longer than any write takes, so that no write begins before quiet hours and notifies holders during them. */
const writeMs = 60_000;

/** Finds the quiet hours of accounts. Without a listener, there are no quiet hours. */
@Injectable()
export class GoogleQuietHours {
  private readonly listeners: Listeners<QuietHoursListener>;

  constructor(discovery: DiscoveryService) {
    this.listeners = new Listeners(discovery, QuietHoursListener);
  }

  /** Returns the end of quiet hours if a write that begins now may end during them; otherwise null. */
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
