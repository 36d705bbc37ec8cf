import { Injectable, Logger } from '@nestjs/common';
import { Clock, loggedError, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import { MembershipsOptions } from '../memberships.options.js';
import { DueMembersRepository, type MemberKey } from './due-members.repository.js';
import { DueMembersService } from './due-members.service.js';

/** The time limit of one run; the next run, a minute later, continues. */
const sliceMs = 30_000;
/** The part of a run that expiries may use. The rest is left for reminders. */
const expiriesMs = 20_000;
/** The number of members that expire in one transaction. */
const expiredAtOnce = 100;
/** The number of expired members that a run reads. It is more than a run can process. */
const mostExpired = 20_000;
const defaultPerMinute = 1000;
/** The number of concurrent transactions. */
const lanes = 4;
/** The pause after a failed attempt, before the member is tried again. */
const putOffMs = 5 * 60_000;

/** Expires and reminds members when they are due, once across all nodes. */
@Injectable()
export class DueMembersCron {
  private readonly logger = new Logger('Memberships');

  constructor(
    private readonly database: Database,
    private readonly repository: DueMembersRepository,
    private readonly dueMembers: DueMembersService,
    private readonly options: MembershipsOptions,
    private readonly clock: Clock,
  ) {}

  /** Processes expiries first, because an expired member needs no reminder. */
  @Scheduled({ name: 'memberships.run-due', crontab: '* * * * *' })
  async runDue({ signal }: JobContext): Promise<void> {
    const began = performance.now();
    const goesOnFor = (ms: number) => () => {
      signal.throwIfAborted();
      return performance.now() < began + ms;
    };
    const expired = await this.repository.findExpired(this.clock.now(), mostExpired);
    const expiring = goesOnFor(expiriesMs);
    await inLanes(batchesOf(expired), expiring, (batch) => this.expire(batch, expiring));
    const perMinute = this.options.remindersPerMinute ?? defaultPerMinute;
    const toRemind = await this.repository.findToRemind(this.clock.now(), perMinute);
    await inLanes(toRemind, goesOnFor(sliceMs), (key) => this.settle(key));
  }

  /** Expires members together. If that fails, expires them one by one, so that a faulty member does not stop others. */
  private async expire(batch: readonly MemberKey[], goesOn: () => boolean): Promise<void> {
    try {
      return await this.dueMembers.expireMany(batch);
    } catch (error) {
      this.logger.warn(`${batch.length} members expire one by one: ${loggedError(error).message}`);
    }
    for (const key of batch) if (goesOn()) await this.settle(key);
  }

  /** Processes one member. A failure does not stop the others. */
  private async settle(key: MemberKey): Promise<void> {
    try {
      await this.dueMembers.settle(key);
    } catch (error) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + putOffMs);
      await this.database.transaction((tx) => this.repository.putOff(tx, key, now, until));
      this.logger.error(`Member ${key.id} of ${key.accountId} is put off: ${loggedError(error).message}`);
    }
  }
}

/**
 * Groups members by account and template, in groups of at most `expiredAtOnce`. Orders the groups by their first
 * members.
 */
function batchesOf(keys: readonly MemberKey[]): MemberKey[][] {
  const batches: MemberKey[][] = [];
  const open = new Map<string, MemberKey[]>();
  for (const key of keys) {
    const name = `${key.accountId}/${key.templateId}`;
    const batch = open.get(name);
    if (batch && batch.length < expiredAtOnce) {
      batch.push(key);
      continue;
    }
    const next = [key];
    open.set(name, next);
    batches.push(next);
  }
  return batches;
}

/** Works on several items simultaneously, until `goesOn` returns false. */
async function inLanes<T>(all: readonly T[], goesOn: () => boolean, work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const lane = async () => {
    for (const one of left) {
      if (!goesOn()) return;
      await work(one);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
