import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { type MarkedDevices, type MarkedPass, PushFanoutRepository } from './push-fanout.repository.js';
import { ApplePushDue, type ChangedScope, DevicesLeftToMark, PassChanged } from '../push/push.jobs.js';

/** Maximum run time of one job. Then a new job continues, so that other accounts are served in between. */
const sliceMs = 10_000;
/** Minimum pause between two calls of the sender while devices are marked in batches. */
const callPauseMs = 1000;
/** Maximum number of changed passes of an account per job. */
const passesAtOnce = 500;

/** Marks the devices that hold a changed pass as due for a push, and starts the pushes after the first batch. */
@Injectable()
export class PushFanout {
  constructor(
    private readonly database: Database,
    private readonly repository: PushFanoutRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Marks the devices of this pass as due for a push. Also handles the waiting jobs for other changed passes of the
   * account.
   */
  @JobHandler(PassChanged)
  passChanged({ accountId, serialNumber }: PassChanged['payload']): Promise<void> {
    return this.database.transaction(async (tx) => {
      const others = await this.jobs.takeAlong(tx, PassChanged, passesAtOnce, { accountId });
      const serials = [...new Set([serialNumber, ...others.map((other) => other.serialNumber)])];
      const { marked, last } = await this.repository.markPasses(tx, accountId, serials, this.clock.now());
      if (marked > 0) await this.jobs.add(tx, new ApplePushDue({ accountId }));
      if (last) await this.leaveTheRest(tx, accountId, serials, last);
    });
  }

  @JobHandler(DevicesLeftToMark)
  devicesLeft(payload: DevicesLeftToMark['payload'], context: JobContext): Promise<void> {
    return this.markAll(payload, context);
  }

  private async leaveTheRest(
    tx: EntityManager,
    accountId: string,
    serials: readonly string[],
    { serialNumber, deviceId, dueAt }: MarkedPass,
  ): Promise<void> {
    await this.jobs.addMany(tx, [
      new DevicesLeftToMark({
        accountId,
        changed: { serialNumber },
        afterDeviceId: deviceId,
        dueAt: dueAt.toISOString(),
      }),
      ...serials
        .filter((each) => each > serialNumber)
        .map((each) => new PassChanged({ accountId, serialNumber: each })),
    ]);
  }

  private async markAll(
    { accountId, changed, afterDeviceId, dueAt }: DevicesLeftToMark['payload'],
    { signal }: JobContext,
  ): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    const sender = new SenderCalls(this.clock);
    let after: string | null = afterDeviceId;
    let due = dueAt ? new Date(dueAt) : null;
    while (after !== null) {
      const page: MarkedDevices = await this.markPage(accountId, changed, after, due, sender);
      after = page.lastDeviceId;
      due = page.dueAt;
      if (after !== null && (signal.aborted || this.clock.now().getTime() >= endsAt)) {
        const left = new DevicesLeftToMark({ accountId, changed, afterDeviceId: after, dueAt: due.toISOString() });
        const jobs = [left, new ApplePushDue({ accountId })];
        return this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
      }
    }
  }

  private async markPage(
    accountId: string,
    changed: ChangedScope,
    afterDeviceId: string,
    due: Date | null,
    sender: SenderCalls,
  ): Promise<MarkedDevices> {
    let isCalled = false;
    const marked = await this.database.transaction(async (tx) => {
      const page = await this.repository.mark(tx, accountId, changed, afterDeviceId, due ?? this.clock.now());
      isCalled = sender.isCalledAfter(page);
      if (isCalled) await this.jobs.add(tx, new ApplePushDue({ accountId }));
      return page;
    });
    sender.committed(marked, isCalled);
    return marked;
  }
}

/**
 * Decides after which batches of devices to call the sender: after the first, after the last, and once a second in
 * between. A running sender finds the other batches by itself.
 */
class SenderCalls {
  private calledAt = -Infinity;
  /** True if devices were marked since the last call of the sender. */
  private hasMarked = false;

  constructor(private readonly clock: Clock) {}

  isCalledAfter({ marked, lastDeviceId }: MarkedDevices): boolean {
    if (marked === 0 && !this.hasMarked) return false;
    return lastDeviceId === null || Math.abs(this.clock.now().getTime() - this.calledAt) >= callPauseMs;
  }

  committed({ marked }: MarkedDevices, isCalled: boolean): void {
    if (isCalled) this.calledAt = this.clock.now().getTime();
    this.hasMarked = !isCalled && (this.hasMarked || marked > 0);
  }
}
