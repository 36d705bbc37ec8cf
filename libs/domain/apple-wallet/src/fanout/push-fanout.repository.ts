import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { pageSize } from '../push/push-page.entity.js';
import type { ChangedScope } from '../push/push.jobs.js';

/** Maximum number of devices that one transaction marks as due. */
export const markedAtOnce = 2000;

/** Finds the devices that hold a changed pass, and stores them in pages that the push sender reads. */
@Injectable()
export class PushFanoutRepository {
  /**
   * Stores the next devices after `afterDeviceId` in pages, which the push sender reads. The first call replaces the
   * remaining pages of an earlier change of the same pass or template. It keeps their due time, so that a later
   * change does not postpone the push.
   * @param due when the pages are due, at the latest
   */
  async mark(
    tx: EntityManager,
    accountId: string,
    changed: ChangedScope,
    afterDeviceId: string,
    due: Date,
  ): Promise<MarkedDevices> {
    const [scope, value] = 'templateId' in changed ? ['template', changed.templateId] : ['pass', changed.serialNumber];
    const name = `${scope}:${value}`;
    const dueAt = afterDeviceId === '' ? await this.supersede(tx, accountId, name, due) : due;
    const values = [accountId, value, afterDeviceId, markedAtOnce, dueAt, name];
    const [page] = await tx.query<[{ marked: number; last: string | null }]>(markSql(changed), values);
    return { marked: page.marked, lastDeviceId: page.marked === markedAtOnce ? page.last : null, dueAt };
  }

  /**
   * Works like the first call of `mark`, for several changed passes.
   * @returns where marking stopped, or null if all devices of the passes are marked
   */
  async markPasses(
    tx: EntityManager,
    accountId: string,
    serialNumbers: readonly string[],
    now: Date,
  ): Promise<{ marked: number; last: MarkedPass | null }> {
    const values = [accountId, serialNumbers, markedAtOnce, now];
    const [page] = await tx.query<[{ marked: number; serial: string; device: string; due: Date }]>(
      markPassesSql,
      values,
    );
    if (page.marked < markedAtOnce) return { marked: page.marked, last: null };
    return { marked: page.marked, last: { serialNumber: page.serial, deviceId: page.device, dueAt: page.due } };
  }

  /** @returns `due`, or the due time of a deleted page if that is earlier */
  private async supersede(tx: EntityManager, accountId: string, scope: string, due: Date): Promise<Date> {
    const [superseded] = await tx.query<[{ due: Date }]>(supersedeSql, [accountId, scope, due]);
    return superseded.due;
  }
}

/** The devices that one call of `mark` has added to pages. */
export interface MarkedDevices {
  readonly marked: number;
  /** The last marked device; null if there are no more devices. */
  readonly lastDeviceId: string | null;
  /** The due time of the devices' pages. */
  readonly dueAt: Date;
}

/** The point where marking stopped: the last pass, its last marked device, and the due time of its pages. */
export interface MarkedPass {
  readonly serialNumber: string;
  readonly deviceId: string;
  readonly dueAt: Date;
}

/**
 * Deletes the unclaimed pages of devices that earlier changes of this pass or template have queued. Keeps claimed
 * pages. `mark` queues their devices again, because the sender may not have seen the change.
 */
export const supersedeSql = `
  WITH superseded AS (
    DELETE FROM apple_push_page WHERE account_id = $1 AND scope = $2 AND claim IS NULL RETURNING due_at
  )
  SELECT LEAST($3::timestamptz, min(due_at)) AS due FROM superseded`;

/**
 * Stores the devices of changed passes in pages. Leaves pages of other passes, so that they keep their position in
 * the queue.
 */
export const markPassesSql = `
  WITH registered AS MATERIALIZED (
    SELECT DISTINCT serial_number, device_id FROM apple_registration
    WHERE account_id = $1 AND serial_number = ANY ($2) ORDER BY serial_number, device_id LIMIT $3
  ), superseded AS (
    DELETE FROM apple_push_page
    WHERE account_id = $1 AND scope = ANY (ARRAY (SELECT DISTINCT 'pass:' || serial_number FROM registered))
      AND scope IS NOT NULL AND claim IS NULL
    RETURNING scope, due_at
  ), earliest AS (
    SELECT scope, min(due_at) AS due_at FROM superseded GROUP BY scope
  ), paged AS (
    SELECT serial_number, device_id,
      (row_number() OVER (PARTITION BY serial_number ORDER BY device_id) - 1) / ${pageSize} AS page FROM registered
  ), marked AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, scope, device_ids, size)
    SELECT $1, nextval('apple_push_number'), LEAST($4::timestamptz, min(earliest.due_at)), nextval('apple_push_number'),
      'pass:' || serial_number, array_agg(device_id), count(*)
    FROM paged LEFT JOIN earliest ON earliest.scope = 'pass:' || serial_number
    GROUP BY serial_number, page ORDER BY serial_number, page
  ), last AS (
    SELECT serial_number, device_id FROM registered ORDER BY serial_number DESC, device_id DESC LIMIT 1
  )
  SELECT (SELECT count(*) FROM registered)::int AS marked,
    (SELECT serial_number FROM last) AS serial, (SELECT device_id FROM last) AS device,
    LEAST($4::timestamptz, (SELECT due_at FROM earliest JOIN last ON scope = 'pass:' || serial_number)) AS due`;

/**
 * Builds the statement that adds pages of devices. Run it after the commit of the change, so that a sender that
 * claims these pages sees the change.
 */
export function markSql(changed: ChangedScope): string {
  return `
  WITH registered AS MATERIALIZED (
    SELECT DISTINCT device_id FROM apple_registration
    WHERE account_id = $1 AND ${'templateId' in changed ? 'template_id' : 'serial_number'} = $2 AND device_id > $3
    ORDER BY device_id LIMIT $4
  ), paged AS (
    SELECT device_id, (row_number() OVER (ORDER BY device_id) - 1) / ${pageSize} AS page FROM registered
  ), marked AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, scope, device_ids, size)
    SELECT $1, nextval('apple_push_number'), $5::timestamptz, nextval('apple_push_number'), $6, array_agg(device_id), count(*)
    FROM paged GROUP BY page ORDER BY page
  )
  SELECT count(*)::int AS marked, max(device_id) AS last FROM registered`;
}
