import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { PassesOptions } from '../passes.options.js';
import { defaultPacing, type PushPacing } from './push-pacing.js';
import { type ClaimedPage, type PushedAccount, PushQueueRepository } from './push-queue.repository.js';
import type { PushedDevice } from './push-run.js';
import { departureOf, settlementOf } from './push-settlement.js';

/** Takes pages of devices to be pushed, and writes what came of them: each in a transaction of its own. */
@Injectable()
export class PushPages {
  private readonly pacing: PushPacing;

  constructor(
    options: PassesOptions,
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly clock: Clock,
  ) {
    this.pacing = options.push ?? defaultPacing;
  }

  claim(account: PushedAccount, size: number): Promise<ClaimedPage> {
    const now = this.clock.now();
    return this.database.transaction((tx) => this.queue.claim(tx, account, size, now, this.pacing));
  }

  async record(accountId: string, pushed: readonly PushedDevice[]): Promise<void> {
    if (pushed.length === 0) return;
    const now = this.clock.now();
    const departures = pushed.flatMap(({ device, answer }) => departureOf(device, answer) ?? []);
    const settlements = pushed.map(({ device, answer }) => settlementOf(device, answer, now, this.pacing));
    await this.database.transaction(async (tx) => {
      // First, as it locks all of them in their order.
      await this.queue.settle(tx, accountId, settlements);
      await this.queue.forget(tx, accountId, departures, now);
    });
  }
}
