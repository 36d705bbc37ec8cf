import { Module } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { QuietHoursListener } from './messages/quiet-hours.listener.js';

/** Quiet hours that a test sets, for all accounts. */
@Listens(QuietHoursListener)
export class ScriptedQuietHours extends QuietHoursListener {
  hours: { readonly from: string; readonly until: string } | null = null;

  override async quietUntil(_accountId: string, at: Date): Promise<Date | null> {
    if (!this.hours) return Promise.resolve(null);
    const [from, until] = [new Date(this.hours.from), new Date(this.hours.until)];
    return Promise.resolve(at >= from && at < until ? until : null);
  }
}

@Module({ providers: [ScriptedQuietHours] })
export class ScriptedQuietHoursModule {}
