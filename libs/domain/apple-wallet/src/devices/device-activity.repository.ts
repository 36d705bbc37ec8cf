import { Injectable } from '@nestjs/common';
import { Database, inAccount, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { deletedPassVersions, passVersions } from '@passwright/passes';
import { currentVersion, isBehind } from '../push/outdated-devices.js';
import type { DeviceName } from './device-request.js';

/** A device's request for its changed passes. */
export interface ListedDevice extends DeviceName {
  /** The `pg_snapshot` in which the list was read. The device knows all changes that were visible in it. */
  readonly snapshot: string;
  /** The snapshot of the tag that the device sent; null if it sent no tag. */
  readonly since: string | null;
  readonly at: Date;
}

/** A fetch of a pass by a device. */
export interface FetchedPass {
  readonly accountId: string;
  readonly serialNumber: string;
  /** The time of the pass version that the device has after this fetch. */
  readonly versionAt: Date;
  readonly status: 200 | 304;
  readonly at: Date;
}

interface Device {
  readonly account_id: string;
  readonly id: string;
}

/* Each transaction locks rows of only one table, in key order, like all code that locks several of these rows. */
/** @param which an SQL condition on the device `d` */
const writeLists = (which = '') => `
  WITH listed AS (
    SELECT d.account_id, d.id, l.at, l.snapshot
    FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::pg_snapshot[])
      AS l (pass_type_identifier, device_library_identifier, at, snapshot)
    JOIN apple_device d ON d.pass_type_identifier = l.pass_type_identifier
      AND d.device_library_identifier = l.device_library_identifier${which}
    ORDER BY d.account_id, d.id FOR NO KEY UPDATE OF d
  )
  UPDATE apple_device d SET listed_at = GREATEST(d.listed_at, listed.at),
    listed_in = CASE WHEN pg_snapshot_xmax(d.listed_in) > pg_snapshot_xmax(listed.snapshot)
      AND d.listed_at > listed.at THEN d.listed_in ELSE listed.snapshot END
  FROM listed WHERE d.account_id = listed.account_id AND d.id = listed.id`;

/*
 * A device stores the tag of a list only after it has processed the whole list. So a device that sends a tag has all
 * changes that were visible in the tag's snapshot.
 */
const writeHeld = (which = '') => `
  WITH held AS (
    SELECT r.account_id, r.device_id, r.serial_number, version.at
    FROM unnest($1::text[], $2::text[], $3::pg_snapshot[])
      AS l (pass_type_identifier, device_library_identifier, since)
    JOIN apple_device d ON d.pass_type_identifier = l.pass_type_identifier
      AND d.device_library_identifier = l.device_library_identifier${which}
    JOIN apple_registration r ON r.account_id = d.account_id AND r.device_id = d.id
    CROSS JOIN LATERAL (
      SELECT GREATEST(p.updated_at, t.updated_at) AS at
      FROM ${passVersions()}
      WHERE p.serial_number = r.serial_number AND p.account_id = r.account_id
        AND pg_visible_in_snapshot(p.changed_in, l.since) AND pg_visible_in_snapshot(t.changed_in, l.since)
      UNION ALL
      SELECT x.deleted_at FROM ${deletedPassVersions}
      WHERE x.serial_number = r.serial_number AND x.account_id = r.account_id
        AND pg_visible_in_snapshot(x.changed_in, l.since)
    ) version
    WHERE r.seen_at < version.at AND (r.registered_in IS NULL OR pg_visible_in_snapshot(r.registered_in, l.since))
    ORDER BY r.account_id, r.device_id, r.serial_number FOR NO KEY UPDATE OF r
  )
  UPDATE apple_registration r SET seen_at = GREATEST(r.seen_at, held.at) FROM held
  WHERE r.account_id = held.account_id AND r.device_id = held.device_id AND r.serial_number = held.serial_number
  RETURNING r.account_id, r.device_id AS id`;

/*
 * Attributes fetches to devices, because a device does not identify itself when it requests a pass. If only one device
 * is registered for the pass, the fetch belongs to it. Otherwise, the candidates are the devices that have listed
 * changes but not fetched the pass since. The newest fetch belongs to the candidate that listed changes last, the
 * previous fetch to the next candidate, and so on. Without candidates, the fetch belongs to the device that listed
 * changes last, if any.
 */
const writeFetches = `
  WITH fetched AS MATERIALIZED (
    SELECT f.*, row_number() OVER (PARTITION BY account_id, serial_number ORDER BY at DESC, position DESC) AS nth
    FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::integer[], $5::timestamptz[])
      WITH ORDINALITY AS f (account_id, serial_number, version_at, status, at, position)
  ), candidate AS MATERIALIZED (
    SELECT r.account_id, r.device_id, r.serial_number, d.listed_at,
      coalesce(d.listed_at > coalesce(r.fetched_at, '-infinity'), false) AS awaited,
      count(*) OVER pass AS devices,
      row_number() OVER (pass ORDER BY coalesce(d.listed_at > coalesce(r.fetched_at, '-infinity'), false) DESC,
        d.listed_at DESC NULLS LAST, r.device_id) AS nth
    FROM fetched f
    JOIN apple_registration r ON r.account_id = f.account_id AND r.serial_number = f.serial_number
    JOIN apple_device d ON d.account_id = r.account_id AND d.id = r.device_id
    WHERE f.nth = 1
    WINDOW pass AS (PARTITION BY r.account_id, r.serial_number)
  ), matched AS MATERIALIZED (
    SELECT c.account_id, c.device_id, c.serial_number, f.version_at, f.status, f.at
    FROM candidate c
    JOIN fetched f ON f.account_id = c.account_id AND f.serial_number = c.serial_number AND f.nth = c.nth
    WHERE c.devices = 1 OR c.awaited OR (c.nth = 1 AND c.listed_at IS NOT NULL)
  ), locked AS (
    SELECT matched.*
    FROM matched JOIN apple_registration r ON r.account_id = matched.account_id AND r.device_id = matched.device_id
      AND r.serial_number = matched.serial_number
    ORDER BY r.account_id, r.device_id, r.serial_number FOR NO KEY UPDATE OF r
  )
  UPDATE apple_registration r
  SET seen_at = GREATEST(r.seen_at, locked.version_at),
    fetched_at = GREATEST(r.fetched_at, locked.at),
    fetched_status = CASE WHEN r.fetched_at > locked.at THEN r.fetched_status ELSE locked.status END
  FROM locked
  WHERE r.account_id = locked.account_id AND r.device_id = locked.device_id AND r.serial_number = locked.serial_number
  RETURNING r.account_id, r.device_id AS id`;

const lockDue = `
  SELECT d.account_id, d.id FROM unnest($1::text[], $2::text[]) AS fetching (account_id, id)
  JOIN apple_device d ON d.account_id = fetching.account_id AND d.id = fetching.id
  WHERE d.due_at IS NOT NULL
  ORDER BY d.account_id, d.id FOR NO KEY UPDATE OF d`;

const recordCurrent = `
  UPDATE apple_device d SET due_at = NULL, push_attempts = 0
  FROM unnest($1::text[], $2::text[]) AS locked (account_id, id)
  WHERE d.account_id = locked.account_id AND d.id = locked.id AND NOT EXISTS (
    SELECT FROM apple_registration r CROSS JOIN LATERAL ${currentVersion()}
    WHERE r.account_id = d.account_id AND r.device_id = d.id AND ${isBehind}
  )`;

/** Finds the accounts in which these devices are registered. */
const accountsOf = `
  SELECT DISTINCT d.account_id FROM unnest($1::text[], $2::text[]) AS l (pass_type_identifier, device_library_identifier)
  JOIN apple_device d ON d.pass_type_identifier = l.pass_type_identifier
    AND d.device_library_identifier = l.device_library_identifier
  ORDER BY d.account_id`;

/** Writes device activity in bulk. */
@Injectable()
export class DeviceActivityRepository {
  constructor(private readonly database: Database) {}

  /**
   * Writes lists and fetches, and clears the due push of devices that are now up to date. Writes nothing if the
   * database was restored after the activity was collected.
   */
  async write(
    incarnation: string | null,
    lists: readonly ListedDevice[],
    fetches: readonly FetchedPass[],
  ): Promise<void> {
    const run = <T>(entries: readonly unknown[], work: (tx: EntityManager) => Promise<T>) =>
      entries.length === 0 ? null : this.database.transactionOf(incarnation, work);
    await run(lists, (tx) => this.writeLists(tx, lists));
    const tagged = lists.filter(({ since }) => since !== null);
    const holders = await run(tagged, (tx) => this.writeHeld(tx, tagged));
    const fetchers = await run(fetches, (tx) => this.writeFetches(tx, fetches));
    const both = [...(holders ?? []), ...(fetchers ?? [])];
    const devices = [...new Map(both.map((device) => [`${device.account_id}/${device.id}`, device])).values()];
    await run(devices, (tx) => this.settle(tx, devices));
  }

  private writeHeld(tx: EntityManager, lists: readonly ListedDevice[]): Promise<Device[]> {
    return this.ofDevices(tx, writeHeld, [...namesOf(lists), lists.map(({ since }) => since)]);
  }

  private async writeLists(tx: EntityManager, lists: readonly ListedDevice[]): Promise<void> {
    const [at, snapshots] = [lists.map((list) => list.at), lists.map(({ snapshot }) => snapshot)];
    await this.ofDevices(tx, writeLists, [...namesOf(lists), at, snapshots]);
  }

  /**
   * Runs a statement that finds devices by pass type and identifier, without an account. On Citus, runs it once for
   * each account in which one of the devices is registered.
   */
  private async ofDevices(
    tx: EntityManager,
    write: (which?: string) => string,
    values: readonly unknown[][],
  ): Promise<Device[]> {
    if (!this.database.isDistributed) return (await tx.query<[Device[], number]>(write(), [...values]))[0];
    const account = `$${values.length + 1}`;
    const sql = inAccount(write(` AND d.account_id = ${account}`), account);
    const devices: Device[] = [];
    for (const { account_id: accountId } of await tx.query<Device[]>(accountsOf, values.slice(0, 2))) {
      devices.push(...(await tx.query<[Device[], number]>(sql, [...values, accountId]))[0]);
    }
    return devices;
  }

  private writeFetches(tx: EntityManager, fetches: readonly FetchedPass[]): Promise<Device[]> {
    return perAccount(this.database, fetches, async (some, write) => {
      const [devices] = await tx.query<[Device[], number]>(write(writeFetches), [
        some.map(({ accountId }) => accountId),
        some.map(({ serialNumber }) => serialNumber),
        some.map(({ versionAt }) => versionAt),
        some.map(({ status }) => status),
        some.map(({ at }) => at),
      ]);
      return devices;
    });
  }

  /**
   * Clears the due push of devices that are up to date. Locks the devices before it checks them, so that a change
   * during the check still makes them due.
   */
  private async settle(tx: EntityManager, devices: readonly Device[]): Promise<void> {
    await perAccount(
      this.database,
      devices.map((device) => ({ ...device, accountId: device.account_id })),
      async (some, write) => {
        const due = await tx.query<Device[]>(write(lockDue), columns(some));
        if (due.length > 0) await tx.query(write(recordCurrent), columns(due));
        return due;
      },
    );
  }
}

function namesOf(lists: readonly ListedDevice[]): [string[], string[]] {
  return [
    lists.map(({ passTypeIdentifier }) => passTypeIdentifier),
    lists.map(({ deviceLibraryIdentifier }) => deviceLibraryIdentifier),
  ];
}

function columns(devices: readonly Device[]): [accountIds: string[], ids: string[]] {
  return [devices.map(({ account_id }) => account_id), devices.map(({ id }) => id)];
}
