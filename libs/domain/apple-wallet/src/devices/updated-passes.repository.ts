import { Injectable } from '@nestjs/common';
import { NotReady } from '@passwright/core';
import { Database, inAccount, noteLostFuture, noteLostFutureElsewhere } from '@passwright/database';
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
  /** True if the tag belongs to this history of the database, but is newer than the database. */
  readonly isAhead: boolean;
  /** False on Citus for a device in several accounts, because the snapshot covers only one server. */
  readonly coversAll: boolean;
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
 * Finds the changed passes of a device. Reads only indexes and the rows of the device's passes. Ignores a tag from
 * before a restore or failover, or from the future. Ignores changes of the template of a deleted pass. Lists a pass
 * that changed before its registration once, because the device may have an older version.
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

const accountsSql = `
  SELECT DISTINCT account_id FROM apple_device WHERE pass_type_identifier = $1 AND device_library_identifier = $2
  ORDER BY account_id`;

/** Runs on the server of one account, because each server of a cluster has its own transaction numbers. */
const findUpdatedInAccount = inAccount(
  `${findUpdated.replace(/\) AS held$/, '')} AND d.account_id = $5) AS held`,
  '$5',
);

/** Runs the query for a list of changed passes. */
@Injectable()
export class UpdatedPassesRepository {
  constructor(private readonly database: Database) {}

  /**
   * @param since the tag of the device's last list; null to list all passes
   * @throws NotReady on a standby, because its snapshots do not show open transactions
   */
  async find(device: DeviceName, since: UpdateTag | null): Promise<UpdatedPasses> {
    if (this.database.isDistributed) return this.findInAccounts(device, since);
    return toUpdatedPasses(
      await this.database.lookUp<Row>('apple-updated-passes', findUpdated, valuesOf(device, since)),
    );
  }

  /**
   * Replaces `find` on Citus. A tag is the snapshot of one server, so it works only for a device in one account. A
   * device in several accounts always gets all its passes.
   */
  private async findInAccounts(device: DeviceName, since: UpdateTag | null): Promise<UpdatedPasses> {
    const name = valuesOf(device, null).slice(0, 2);
    const accounts = await this.database.lookUp<{ account_id: string }>('apple-device-accounts', accountsSql, name);
    const lists: UpdatedPasses[] = [];
    for (const { account_id: accountId } of accounts) {
      const values = [...valuesOf(device, accounts.length === 1 ? since : null), accountId];
      lists.push(
        toUpdatedPasses(await this.database.lookUp<Row>('apple-updated-in-account', findUpdatedInAccount, values)),
      );
    }
    const [first = noDevice] = lists;
    return {
      ...first,
      registered: lists.reduce((sum, { registered }) => sum + registered, 0),
      serialNumbers: lists.flatMap(({ serialNumbers }) => serialNumbers),
      coversAll: lists.length < 2,
    };
  }

  /**
   * If the device's tag is newer than the database, treats the database as restored, which begins a new incarnation.
   * @returns true if this call is the first to report the loss
   */
  noteLostFuture(device: DeviceName, tag: UpdateTag): Promise<boolean> {
    if (!this.database.isDistributed) return this.database.transaction((tx) => noteLostFuture(tx, tag));
    const isAhead = async () => (await this.find(device, tag)).isAhead;
    return this.database.inOneTransaction(async (begin) => noteLostFutureElsewhere(await begin(), isAhead));
  }
}

/** The list of a device without registrations. The service never sends its tag. */
const noDevice: UpdatedPasses = {
  registered: 0,
  serialNumbers: [],
  now: { snapshot: '1:1:', epoch: '' },
  since: null,
  isAhead: false,
  coversAll: true,
};

function valuesOf({ passTypeIdentifier, deviceLibraryIdentifier }: DeviceName, since: UpdateTag | null): unknown[] {
  return [passTypeIdentifier, deviceLibraryIdentifier, since?.snapshot ?? null, since?.epoch ?? null];
}

function toUpdatedPasses([row]: readonly Row[]): UpdatedPasses {
  const { registered, serial_numbers: serialNumbers, snapshot, epoch, since, is_ahead } = row as Row;
  if (epoch === null) throw new NotReady('The database is a standby that cannot tell what has changed; try again.');
  return { registered, serialNumbers, now: { snapshot, epoch }, since, isAhead: is_ahead === true, coversAll: true };
}
