import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { shownLineSql } from '../logs/shown-line.js';
import { currentVersion } from '../push/outdated-devices.js';

/** The progress of a device that receives updates of a pass. */
export interface DeviceProgress {
  /** The time of the version that the device holds. */
  readonly seenAt: Date;
  /**
   * True if the device has listed the current version, or registered with it. If false, another device may have fetched
   * the current version.
   */
  readonly reported: boolean;
  /** When the device last fetched this pass. `lastFetchAt` is its last fetch of any pass. */
  readonly fetchedAt: Date | null;
  readonly lastFetchAt: Date | null;
  readonly pushedAt: Date | null;
  readonly pushStatus: number | null;
  readonly pushReason: string | null;
  readonly dueAt: Date | null;
}

/** A device that receives or used to receive updates of a pass. */
export type PassDevice = InstalledDevice | FormerDevice;

export interface InstalledDevice extends DeviceProgress {
  readonly deviceId: string;
  /** A secret: never include it in a response. */
  readonly deviceLibraryIdentifier: string;
  readonly registeredAt: Date;
  readonly fetchedStatus: number | null;
  readonly listedAt: Date | null;
  readonly pushId: string | null;
  readonly pushAttempts: number;
}

export interface FormerDevice {
  readonly deviceId: string;
  readonly reason: string;
  readonly leftAt: Date;
}

export interface LogLine {
  readonly line: string;
  readonly receivedAt: Date;
}

/** The passes whose devices are counted: one pass, or all passes of a template. */
export type Holding = { readonly serialNumber: string } | { readonly templateId: string };

export interface DeviceCount {
  readonly count: number;
  /** True if counting stopped at its limit, so that there may be more. */
  readonly isAtLeast: boolean;
}

/** Maximum number of log lines that are read for a pass. The newest lines are read. */
const mostLines = 50;

/** Reads the devices and log lines of a pass. */
@Injectable()
export class PassDevicesRepository {
  constructor(private readonly database: Database) {}

  /** Lists devices in the order of their ids, starting after `afterDeviceId`. */
  async devices(
    accountId: string,
    serialNumber: string,
    afterDeviceId: string,
    limit: number,
    now: Date,
  ): Promise<PassDevice[]> {
    const values = [accountId, serialNumber, afterDeviceId, limit];
    const { reads } = this.database;
    const installed = await reads.query<InstalledDevice[]>(installedSql, [...values, now]);
    const former = await reads.query<FormerDevice[]>(formerSql, values);
    const byId = (one: PassDevice, other: PassDevice) => (one.deviceId < other.deviceId ? -1 : 1);
    return [...installed, ...former].sort(byId).slice(0, limit);
  }

  /** Lists the log lines of a pass, newest first. */
  lines(accountId: string, serialNumber: string): Promise<LogLine[]> {
    const values = [accountId, serialNumber, mostLines];
    return this.database.reads.query<LogLine[]>(linesSql, values);
  }

  async held(accountId: string, serialNumbers: readonly string[], tx = this.database.reads): Promise<string[]> {
    const rows = await tx.query<{ serial_number: string }[]>(heldSql, [accountId, serialNumbers]);
    return rows.map(({ serial_number }) => serial_number);
  }

  async countHolding(accountId: string, holding: Holding, most: number): Promise<DeviceCount> {
    const isPass = 'serialNumber' in holding;
    const [sql, of] = isPass
      ? [countHoldingSql('serial_number'), holding.serialNumber]
      : [countHoldingSql('template_id'), holding.templateId];
    const rows = await this.database.reads.query<[DeviceCount]>(sql, [accountId, of, most]);
    return rows[0];
  }

  async count(tx: EntityManager, accountId: string, serialNumber: string): Promise<number> {
    const [row] = await tx.query<{ devices: number }[]>(countSql, [accountId, serialNumber]);
    return row?.devices ?? 0;
  }

  async erase(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    for (const sql of eraseSql) await tx.query(sql, [accountId, serialNumber]);
  }

  async export(accountId: string, serialNumber: string): Promise<Record<'installed' | 'former' | 'log', object[]>> {
    const read = (sql: string) => this.database.reads.query<object[]>(sql, [accountId, serialNumber]);
    return {
      installed: await read(exportInstalledSql),
      former: await read(exportFormerSql),
      log: await read(exportLogSql),
    };
  }
}

/** Reads the installed devices of a pass. Also reads `apple_push_page`, which contains changes that wait for a push. */
export const installedSql = `
  WITH holding AS MATERIALIZED (
    SELECT * FROM apple_registration WHERE account_id = $1 AND serial_number = $2 AND device_id > $3
    ORDER BY device_id LIMIT $4
  ), marked AS MATERIALIZED (
    SELECT marked.device_id, min(p.due_at) AS due_at
    FROM apple_push_page p CROSS JOIN unnest(p.device_ids) AS marked(device_id) JOIN holding USING (device_id)
    WHERE p.account_id = $1 AND p.due_at <= $5 GROUP BY marked.device_id
  )
  SELECT r.device_id AS "deviceId", d.device_library_identifier AS "deviceLibraryIdentifier",
    r.registered_at AS "registeredAt", r.seen_at AS "seenAt", r.fetched_at AS "fetchedAt",
    r.fetched_status AS "fetchedStatus", d.listed_at AS "listedAt", LEAST(d.due_at, marked.due_at) AS "dueAt", d.pushed_at AS "pushedAt",
    d.push_id AS "pushId", d.push_status AS "pushStatus", d.push_reason AS "pushReason",
    d.push_attempts AS "pushAttempts", NOT current.untold AS reported,
    (SELECT max(o.fetched_at) FROM apple_registration o
     WHERE o.account_id = $1 AND o.device_id = r.device_id) AS "lastFetchAt"
  FROM holding r JOIN apple_device d ON d.account_id = $1 AND d.id = r.device_id
  LEFT JOIN marked ON marked.device_id = r.device_id
  CROSS JOIN LATERAL ${currentVersion('$1')}
  ORDER BY r.device_id`;

/** Reads the former devices of a pass. A former device that has registered again counts as installed. */
export const formerSql = `
  SELECT f.device_id AS "deviceId", f.reason, f.left_at AS "leftAt"
  FROM apple_former_registration f
  WHERE f.account_id = $1 AND f.serial_number = $2 AND f.device_id > $3
    AND NOT EXISTS (SELECT FROM apple_registration r
      WHERE r.account_id = $1 AND r.device_id = f.device_id AND r.serial_number = f.serial_number)
  ORDER BY f.device_id LIMIT $4`;

export const linesSql = `
  SELECT line, received_at AS "receivedAt" FROM apple_log_line
  WHERE account_id = $1 AND serial_number = $2 ORDER BY id DESC LIMIT $3`;

const heldSql = `
  SELECT k.serial_number FROM unnest($2::text[]) AS k(serial_number)
  WHERE EXISTS (
    SELECT FROM apple_registration r WHERE r.account_id = $1 AND r.serial_number = k.serial_number
  )`;

/**
 * Counts the devices that hold passes. Limits the number of registrations that it reads, because a few devices can have
 * very many.
 */
const countHoldingSql = (column: 'serial_number' | 'template_id') => `
  SELECT count(DISTINCT device_id)::integer AS count, count(*) >= $3 AS "isAtLeast" FROM (
    SELECT device_id FROM apple_registration WHERE account_id = $1 AND ${column} = $2 LIMIT $3
  ) AS seen`;

const countSql = `
  SELECT count(*)::integer AS devices FROM (
    SELECT device_id FROM apple_registration WHERE account_id = $1 AND serial_number = $2
    UNION SELECT device_id FROM apple_former_registration WHERE account_id = $1 AND serial_number = $2
  ) AS devices`;

const eraseSql = [
  'DELETE FROM apple_log_line WHERE account_id = $1 AND serial_number = $2',
  'DELETE FROM apple_former_registration WHERE account_id = $1 AND serial_number = $2',
];

const exportInstalledSql = `
  SELECT r.device_id AS "deviceId", r.registered_at AS "registeredAt", r.fetched_at AS "fetchedAt",
    d.pushed_at AS "pushedAt", d.listed_at AS "listedAt"
  FROM apple_registration r JOIN apple_device d ON d.account_id = $1 AND d.id = r.device_id
  WHERE r.account_id = $1 AND r.serial_number = $2 ORDER BY r.device_id LIMIT 1000`;

const exportFormerSql = `
  SELECT device_id AS "deviceId", reason, left_at AS "leftAt" FROM apple_former_registration
  WHERE account_id = $1 AND serial_number = $2 ORDER BY device_id LIMIT 1000`;

const exportLogSql = `
  SELECT ${shownLineSql('line')} AS line, received_at AS "receivedAt" FROM apple_log_line
  WHERE account_id = $1 AND serial_number = $2 ORDER BY id LIMIT 1000`;
