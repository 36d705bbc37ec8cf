import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { namedIn } from './named-devices.js';
import { forgivenFailures } from './push-pacing.js';
import type { ChangedScope } from './updates.jobs.js';

/** How many devices are marked in one transaction. */
export const markedAtOnce = 2000;

/** Finds the devices that hold what has changed and marks them as due, a page at a time. */
@Injectable()
export class DeviceMarkingRepository {
  /**
   * Marks the first page of devices after `afterDeviceId` as due, those that are not so yet.
   * @returns the last device of a full page; null when there are none beyond it
   */
  async mark(
    tx: EntityManager,
    accountId: string,
    changed: ChangedScope,
    afterDeviceId: string,
    now: Date,
  ): Promise<{ marked: number; lastDeviceId: string | null }> {
    const value = 'templateId' in changed ? changed.templateId : changed.serialNumber;
    const [page] = await tx.query<[{ marked: number; last: string | null }]>(markSql(changed), [
      accountId,
      value,
      afterDeviceId,
      now,
      markedAtOnce,
    ]);
    return { marked: page.marked, lastDeviceId: page.marked === markedAtOnce ? page.last : null };
  }
}

/**
 * Every device is locked, also one that is due already: whoever has just found that it needs no push may not have seen
 * the change, and commits that before the lock is given. In the order of ids, as all who lock several devices do.
 *
 * A change has its own pushes, whatever became of those for earlier ones. Failures that still go on are forgiven in part, so
 * that many changes do not make many pushes of a device that takes none.
 */
export function markSql(changed: ChangedScope): string {
  return `
  WITH registered AS MATERIALIZED (
    SELECT DISTINCT device_id FROM apple_registration
    WHERE account_id = $1 AND ${'templateId' in changed ? 'template_id' : 'serial_number'} = $2 AND device_id > $3
    ORDER BY device_id LIMIT $5
  ), locked AS MATERIALIZED (
    SELECT d.id, d.due_at, d.push_attempts FROM apple_device d
    WHERE d.account_id = $1 AND ${namedIn('registered', 'device_id')}
    ORDER BY d.id FOR NO KEY UPDATE
  ), marked AS (
    UPDATE apple_device d SET
      due_at = LEAST(locked.due_at, $4::timestamptz),
      push_attempts = 0,
      push_failures = CASE WHEN locked.due_at IS NULL THEN 0 ELSE LEAST(d.push_failures, ${forgivenFailures}) END
    FROM locked
    WHERE d.account_id = $1 AND d.id = locked.id AND ${namedIn('locked')}
      AND (locked.due_at IS NULL OR locked.due_at > $4 OR locked.push_attempts > 0)
  )
  SELECT count(*)::int AS marked, max(device_id) AS last FROM registered`;
}
