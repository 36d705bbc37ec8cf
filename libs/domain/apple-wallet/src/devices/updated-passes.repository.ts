import { Injectable } from '@nestjs/common';
import { NotReady } from '@passwright/core';
import { Database, noteLostFuture } from '@passwright/database';
import { joinVersions } from '@passwright/passes';
import type { DeviceName } from './device-request.js';
import type { UpdateTag } from './update-tag.js';

/** The registrations and the changed passes of a device. */
export interface UpdatedPasses {
  /** Number of registrations; 0 for an unknown device. */
  readonly registered: number;
  readonly serialNumbers: readonly string[];
  /** The tag of the snapshot in which these values were read. */
  readonly now: UpdateTag;
  /** The snapshot of the tag in the request; null without a valid tag. */
  readonly since: string | null;
  /** True if the tag belongs to this history and is ahead of the database. */
  readonly isAhead: boolean;
}

interface Row {
  readonly registered: number;
  readonly serial_numbers: string[];
  readonly snapshot: string;
  /** The epoch of the database; null on a standby. */
  readonly epoch: string | null;
  readonly since: string | null;
  readonly is_ahead: boolean | null;
}

const isNew = (changedIn: string) =>
  `(${changedIn} < pg_snapshot_xmax(now.snapshot) AND NOT pg_visible_in_snapshot(${changedIn}, now.since))`;

/*
 * Reads only indexes. Ignores a tag of another database incarnation, server or timeline, and a tag ahead of this
 * database. A deleted pass no longer changes with its template. A pass that changed before it was registered is listed
 * once, because the device may have an older version.
 */
export const findUpdated = `
  WITH this AS MATERIALIZED (
    SELECT pg_current_snapshot() AS snapshot, history_epoch() AS epoch
  ), now AS MATERIALIZED (
    SELECT snapshot, epoch, CASE
      WHEN epoch = $4 AND pg_snapshot_xmax($3::pg_snapshot) <= pg_snapshot_xmax(snapshot) THEN $3::pg_snapshot
    END AS since, epoch = $4 AND pg_snapshot_xmax($3::pg_snapshot) > pg_snapshot_xmax(snapshot) AS is_ahead
    FROM this
  )
  SELECT now.snapshot::text, now.epoch, now.since::text, now.is_ahead, held.registered, held.serial_numbers
  FROM now, LATERAL (
    SELECT count(*)::int AS registered, coalesce(array_agg(r.serial_number) FILTER (WHERE
      now.since IS NULL OR ${isNew('r.registered_in')} OR ${isNew('p.changed_in')} OR ${isNew('x.changed_in')}
      OR (p.changed_in IS NOT NULL AND ${isNew('t.changed_in')})), '{}') AS serial_numbers
    FROM apple_device d
    JOIN apple_registration r ON r.account_id = d.account_id AND r.device_id = d.id
    ${joinVersions('r')}
    WHERE d.pass_type_identifier = $1 AND d.device_library_identifier = $2
  ) AS held`;

/** Runs the query for a list of changed passes. */
@Injectable()
export class UpdatedPassesRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param since the tag of the device's last list; null to list all passes
   * @throws NotReady on a standby, whose snapshots do not show open transactions
   */
  async find(device: DeviceName, since: UpdateTag | null): Promise<UpdatedPasses> {
    const { passTypeIdentifier, deviceLibraryIdentifier } = device;
    const values = [passTypeIdentifier, deviceLibraryIdentifier, since?.snapshot ?? null, since?.epoch ?? null];
    const rows = await this.database.lookUp<Row>('apple-updated-passes', findUpdated, values);
    const { registered, serial_numbers: serialNumbers, snapshot, epoch, since: asked, is_ahead } = rows[0] as Row;
    if (epoch === null) throw new NotReady('The database is a standby that cannot tell what has changed; try again.');
    return { registered, serialNumbers, now: { snapshot, epoch }, since: asked, isAhead: is_ahead === true };
  }

  /** Starts a new incarnation if the tag is ahead of the database. @returns true for the first such tag */
  noteLostFuture(tag: UpdateTag): Promise<boolean> {
    return this.database.transaction((tx) => noteLostFuture(tx, tag));
  }
}
