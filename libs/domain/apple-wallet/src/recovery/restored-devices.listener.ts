import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, lockedPageOf } from '@passwright/database';
import { IncarnationListener, type IncarnationStep, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { type DeviceKey, forcePushes } from './forced-pushes.js';
import { pageSize } from '../push/push-page.entity.js';
import { PushQueueRepository } from '../push/push-queue.repository.js';

/**
 * The default number of pushes per second after a restore. Each push makes a phone request its passes, and a node with
 * two cores can sign about this many packages per second besides other work.
 */
export const PUSHES_PER_SECOND = 200;
/** The maximum time between marking a device as due and its push. */
const AHEAD_MS = 10_000;

/** The progress: the last device whose push is scheduled, and the time when the pushes of the next batch are due. */
interface Place {
  readonly accountId?: string;
  readonly deviceId?: string;
  readonly dueAt?: string;
}

/**
 * Sends one push to every registered device after a restore. A device may hold a version that the restore has undone,
 * so it counts as outdated until it has fetched or listed again.
 */
@Injectable()
export class RestoredDevices extends IncarnationListener {
  override readonly incarnationWork = 'apple-push';

  constructor(
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly options: AppleWalletOptions,
  ) {
    super();
  }

  override async incarnationStep(tx: EntityManager, { accountId, deviceId, dueAt }: Place): Promise<IncarnationStep> {
    const now = this.clock.now();
    const due = dueAt === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(dueAt)));
    // Release claims from before the restore, because they would delay these pushes until they expire.
    if (accountId === undefined) await this.queue.releaseAll(tx, now);
    const from = [accountId ?? '', deviceId ?? ''];
    const { page: devices } = await lockedPageOf<DeviceKey>(this.database, tx, lockSql, from);
    const last = devices.at(-1);
    if (!last) return { next: null };
    await forcePushes(tx, this.database, this.jobs, devices, due);
    const perSecond = this.options.restoredPushesPerSecond ?? PUSHES_PER_SECOND;
    const next = new Date(due.getTime() + (devices.length / perSecond) * 1000);
    const isFarAhead = next.getTime() > now.getTime() + AHEAD_MS;
    return {
      next: { accountId: last.accountId, deviceId: last.id, dueAt: next.toISOString() },
      ...(isFarAhead && { notBefore: new Date(next.getTime() - AHEAD_MS / 2) }),
    };
  }
}

export const lockSql = `
  SELECT account_id AS "accountId", id FROM apple_device
  WHERE (account_id, id) > ($1, $2) ORDER BY account_id, id LIMIT ${pageSize} FOR NO KEY UPDATE`;
