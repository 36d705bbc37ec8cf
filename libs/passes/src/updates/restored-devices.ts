import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { IncarnationListener, type IncarnationStep, Jobs } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { PassesOptions } from '../passes.options.js';
import { afterAnyPush, pageSize } from './push-page.entity.js';
import { ApplePushDue } from './updates.jobs.js';

/** Each pushed phone asks for its passes at once. A node of two cores can sign this many beside other work. */
const PUSHES_PER_SECOND = 200;
/** Devices are marked this far ahead of their push. */
const AHEAD_MS = 10_000;

/** The device that was marked last, and when it is due. */
interface Place {
  readonly accountId?: string;
  readonly deviceId?: string;
  readonly dueAt?: string;
}

/**
 * After a restore: has every registered device pushed once. A device may hold a version that does not exist any more, so
 * each counts as holding nothing until it has fetched or listed again.
 */
@Injectable()
export class RestoredDevices extends IncarnationListener {
  override readonly incarnationWork = 'apple-push';

  constructor(
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly options: PassesOptions,
  ) {
    super();
  }

  override async incarnationStep(tx: EntityManager, { accountId, deviceId, dueAt }: Place): Promise<IncarnationStep> {
    const now = this.clock.now();
    const due = dueAt === undefined ? now : new Date(Math.max(now.getTime(), Date.parse(dueAt)));
    const devices = await tx.query<{ accountId: string; id: string }[]>(lockSql, [accountId ?? '', deviceId ?? '']);
    const last = devices.at(-1);
    if (!last) return { next: null };
    const keys = [devices.map((device) => device.accountId), devices.map(({ id }) => id)];
    await tx.query(forgetSeenSql, keys);
    await tx.query(markSql, [...keys, due]);
    const accountIds = new Set(keys[0]);
    await this.jobs.addMany(
      tx,
      [...accountIds].map((id) => new ApplePushDue({ accountId: id })),
    );
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

export const forgetSeenSql = `
  WITH held AS MATERIALIZED (
    SELECT r.account_id, r.device_id, r.serial_number
    FROM unnest($1::text[], $2::text[]) AS d(account_id, id)
    JOIN apple_registration r ON r.account_id = d.account_id AND r.device_id = d.id
    ORDER BY r.account_id, r.device_id, r.serial_number FOR NO KEY UPDATE OF r
  )
  UPDATE apple_registration r SET seen_at = 'epoch' FROM held
  WHERE r.account_id = held.account_id AND r.device_id = held.device_id AND r.serial_number = held.serial_number`;

export const markSql = `
  WITH named AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[]) AS d(account_id, id)
  ), paged AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
    SELECT account_id, nextval('apple_push_number'), $3::timestamptz, ${afterAnyPush}, array_agg(id ORDER BY id), count(*)
    FROM named GROUP BY account_id
  )
  UPDATE apple_device d SET listed_in = NULL FROM named
  WHERE d.account_id = named.account_id AND d.id = named.id`;
