import type { Jobs } from '@passwright/jobs';
import { type Database, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { afterAnyPush } from '../push/push-page.entity.js';
import { ApplePushDue } from '../push/push.jobs.js';

export interface DeviceKey {
  readonly accountId: string;
  readonly id: string;
}

/**
 * Plans a push of locked devices at `due`, even if they are up to date. They count as outdated until they have fetched
 * or listed again.
 */
export async function forcePushes(
  tx: EntityManager,
  database: Pick<Database, 'isDistributed'>,
  jobs: Jobs,
  devices: readonly DeviceKey[],
  due: Date,
): Promise<void> {
  await perAccount(database, devices, async (some, write) => {
    const keys = [some.map(({ accountId }) => accountId), some.map(({ id }) => id)];
    await tx.query(write(forgetSeenSql), keys);
    await tx.query(write(markSql), [...keys, due]);
    return [];
  });
  const accountIds = new Set(devices.map(({ accountId }) => accountId));
  await jobs.addMany(
    tx,
    [...accountIds].map((accountId) => new ApplePushDue({ accountId })),
  );
}

const forgetSeenSql = `
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
