import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { pageSize } from '../push/push-page.entity.js';
import type { ChangedScope } from '../push/push.jobs.js';

/** Number of devices marked in one transaction. */
export const markedAtOnce = 2000;

/** Finds the devices that hold a changed pass and adds them to pages for the sender. */
@Injectable()
export class PushFanoutRepository {
  /**
   * Adds the next devices after `afterDeviceId` to pages that are due immediately. The first call replaces the pages
   * that are left from an earlier change of the same pass or template, so that many changes do not fill the queue.
   * @returns the last device if more may follow
   */
  async mark(
    tx: EntityManager,
    accountId: string,
    changed: ChangedScope,
    afterDeviceId: string,
    now: Date,
  ): Promise<{ marked: number; lastDeviceId: string | null }> {
    const [scope, value] = 'templateId' in changed ? ['template', changed.templateId] : ['pass', changed.serialNumber];
    const name = `${scope}:${value}`;
    if (afterDeviceId === '') await tx.query(supersedeSql, [accountId, name]);
    const values = [accountId, value, afterDeviceId, markedAtOnce, now, name];
    const [page] = await tx.query<[{ marked: number; last: string | null }]>(markSql(changed), values);
    return { marked: page.marked, lastDeviceId: page.marked === markedAtOnce ? page.last : null };
  }

  /**
   * Works like `mark` for several changed passes.
   * @returns the last marked pass and device if more devices may follow; later passes are not marked yet
   */
  async markPasses(
    tx: EntityManager,
    accountId: string,
    serialNumbers: readonly string[],
    now: Date,
  ): Promise<{ marked: number; last: { serialNumber: string; deviceId: string } | null }> {
    const scopes = serialNumbers.map((serialNumber) => `pass:${serialNumber}`);
    await tx.query(supersedeManySql, [accountId, scopes]);
    const values = [accountId, serialNumbers, markedAtOnce, now];
    const [page] = await tx.query<[{ marked: number; serial: string; device: string }]>(markPassesSql, values);
    const isFull = page.marked === markedAtOnce;
    return { marked: page.marked, last: isFull ? { serialNumber: page.serial, deviceId: page.device } : null };
  }
}

/**
 * Deletes superseded pages but keeps claimed ones: the claim may be older than the change, and the device is in a new
 * page as well.
 */
export const supersedeSql = `
  DELETE FROM apple_push_page WHERE account_id = $1 AND scope = $2 AND claim IS NULL`;

const supersedeManySql = `
  DELETE FROM apple_push_page WHERE account_id = $1 AND scope = ANY ($2) AND claim IS NULL`;

export const markPassesSql = `
  WITH registered AS MATERIALIZED (
    SELECT DISTINCT serial_number, device_id FROM apple_registration
    WHERE account_id = $1 AND serial_number = ANY ($2) ORDER BY serial_number, device_id LIMIT $3
  ), paged AS (
    SELECT serial_number, device_id,
      (row_number() OVER (PARTITION BY serial_number ORDER BY device_id) - 1) / ${pageSize} AS page FROM registered
  ), marked AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, scope, device_ids, size)
    SELECT $1, nextval('apple_push_number'), $4::timestamptz, nextval('apple_push_number'), 'pass:' || serial_number,
      array_agg(device_id), count(*)
    FROM paged GROUP BY serial_number, page ORDER BY serial_number, page
  ), last AS (
    SELECT serial_number, device_id FROM registered ORDER BY serial_number DESC, device_id DESC LIMIT 1
  )
  SELECT (SELECT count(*) FROM registered)::int AS marked,
    (SELECT serial_number FROM last) AS serial, (SELECT device_id FROM last) AS device`;

/**
 * Builds the statement that adds pages. It runs after the change was committed, so a claim with a greater number
 * than these pages sees the change.
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
