import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, lockedPageOf } from '@passwright/database';
import { type JobContext, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { type DeviceKey, forcePushes } from './forced-pushes.js';
import { noPushToken } from '../push/no-push-token.js';
import { pageSize } from '../push/push-page.entity.js';
import { PushRecordsRepository } from '../push/push-records.repository.js';
import { PUSHES_PER_SECOND } from './restored-devices.listener.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PUSHED_AFTER_DAYS = 180;
const PUSHED_EVERY_DAYS = 60;
const FORGOTTEN_AFTER_DAYS = 400;
/** The maximum number of days for which the push service keeps a push for a device that is off. */
const RESPONSE_DAYS = 30;

type SilentDevice = DeviceKey & { readonly pushToken: string };

/**
 * Sends a push to devices that have been silent for 180 days, and again every 60 days. Removes those that stay silent
 * for 400 days and do not react to an accepted push. A removed device gets no more updates, because it does not
 * register again by itself.
 */
@Injectable()
export class SilentDevicesCron {
  constructor(
    private readonly database: Database,
    private readonly records: PushRecordsRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'apple-devices.ask-silent', crontab: '23 2 * * *' })
  async ask({ signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const now = this.clock.now();
    const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
    const [forgotten, withoutResponse] = [before(FORGOTTEN_AFTER_DAYS), before(RESPONSE_DAYS)];
    await this.eachPage(signal, lostSql, [forgotten, withoutResponse], (tx, devices) => this.forget(tx, devices, now));
    let due = now;
    await this.eachPage(signal, silentSql, [before(PUSHED_AFTER_DAYS), before(PUSHED_EVERY_DAYS)], (tx, devices) => {
      const at = due;
      due = new Date(at.getTime() + (devices.length / PUSHES_PER_SECOND) * 1000);
      return forcePushes(tx, this.database, this.jobs, devices, at);
    });
  }

  private async forget(tx: EntityManager, devices: readonly SilentDevice[], now: Date): Promise<void> {
    for (const accountId of new Set(devices.map((device) => device.accountId))) {
      const ofAccount = devices.filter((device) => device.accountId === accountId);
      const removals = ofAccount.map(({ id, pushToken }) => ({
        id,
        pushToken,
        registeredBefore: now,
        reason: 'silent' as const,
      }));
      await this.records.forget(tx, accountId, removals, now);
    }
  }

  /** Runs `work` on locked devices in batches, each in its own transaction. */
  private async eachPage(
    signal: AbortSignal,
    sql: string,
    times: readonly Date[],
    work: (tx: EntityManager, devices: readonly SilentDevice[]) => Promise<void>,
  ): Promise<void> {
    let last: DeviceKey | undefined = { accountId: '', id: '' };
    while (last) {
      signal.throwIfAborted();
      const after: unknown[] = [last.accountId, last.id, ...times];
      const page: readonly SilentDevice[] = await this.database.transaction(async (tx) => {
        const devices = await lockedPageOf<SilentDevice>(this.database, tx, sql, after);
        if (devices.locked.length > 0) await work(tx, devices.locked);
        return devices.page;
      });
      last = page.length === pageSize ? page.at(-1) : undefined;
    }
  }
}

const pageOf = (condition: string) => `
  SELECT account_id AS "accountId", id, push_token AS "pushToken" FROM apple_device
  WHERE (account_id, id) > ($1, $2) AND GREATEST(registered_at, listed_at) < $3 AND ${condition}
  ORDER BY account_id, id LIMIT ${pageSize} FOR UPDATE`;

const silentSql = pageOf(`push_token <> '${noPushToken}' AND (pushed_at IS NULL OR pushed_at < $4)`);
const lostSql = pageOf(`push_status = 200 AND pushed_at > GREATEST(registered_at, listed_at) AND pushed_at < $4`);
