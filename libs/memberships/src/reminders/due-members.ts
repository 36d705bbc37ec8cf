import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { MembershipsOptions } from '../memberships.options.js';
import { DueMembersRepository, type MemberKey } from './due-members.repository.js';
import { MemberTimes } from './member-times.js';

/** How long one run may take; the next, a minute later, goes on. */
const sliceMs = 30_000;
/** More than a run can do. */
const mostExpired = 20_000;
const defaultPerMinute = 1000;
/** Members at once. */
const lanes = 4;
/** How long a member is left alone that could not be dealt with. */
const putOffMs = 5 * 60_000;

/** Lets members expire and reminds them of it, when it is time, once over all nodes. */
@Injectable()
export class DueMembers {
  private readonly logger = new Logger('Memberships');

  constructor(
    private readonly database: Database,
    private readonly repository: DueMembersRepository,
    private readonly times: MemberTimes,
    private readonly options: MembershipsOptions,
    private readonly clock: Clock,
  ) {}

  /** Expiries first: what has ended needs no reminder any more. */
  @Scheduled({ name: 'memberships.run-due', crontab: '* * * * *' })
  async runDue({ signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    const goesOn = () => {
      signal.throwIfAborted();
      return performance.now() < endsAt;
    };
    await this.settleAll(await this.repository.findExpired(this.clock.now(), mostExpired), goesOn);
    if (!goesOn()) return;
    const perMinute = this.options.remindersPerMinute ?? defaultPerMinute;
    await this.settleAll(await this.repository.findToRemind(this.clock.now(), perMinute), goesOn);
  }

  private async settleAll(due: readonly MemberKey[], goesOn: () => boolean): Promise<void> {
    const left = due.values();
    const lane = async () => {
      for (const key of left) {
        if (!goesOn()) return;
        await this.settle(key);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  }

  /** One that fails does not keep the others from their turn. */
  private async settle(key: MemberKey): Promise<void> {
    try {
      await this.times.settle(key);
    } catch (error) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + putOffMs);
      await this.database.transaction((tx) => this.repository.putOff(tx, key, now, until));
      this.logger.error(`Member ${key.id} of ${key.accountId} is put off: ${(error as Error).message}`);
    }
  }
}
