import { deletedPassVersions, passVersions } from '@passwright/passes';

/*
 * What of a pass a device has yet to learn. `seen_at` alone does not tell: a device does not say who it is when it asks
 * for a pass, and others may ask with the same token. So a device counts as behind until it has listed the change, too,
 * under its own name: `listed_in` is the snapshot of its last list.
 */

const isUntold = (changedIn: string) => `COALESCE(
  ${changedIn} < pg_snapshot_xmax(pg_current_snapshot())
  AND pg_snapshot_xmax(d.listed_in) <= pg_snapshot_xmax(pg_current_snapshot())
  AND NOT pg_visible_in_snapshot(${changedIn}, d.listed_in), false)`;

/**
 * Of a pass that had changed before it was registered, the device may have got an older version: it has to be told of it,
 * also when it has never listed.
 */
const isUntoldSinceRegistered = `(r.registered_in IS NOT NULL AND (d.listed_in IS NULL OR ${isUntold('r.registered_in')}))`;

/**
 * SQL, to be joined laterally to a registration `r` of a device `d`: the current version of the pass, as `current.at`, and
 * whether it, or the registration, came after the device's last list, as `current.untold`. To a device that never listed
 * no change is new.
 */
export const currentVersion = `(
  SELECT GREATEST(p.updated_at, t.updated_at) AS at,
    ${isUntold('p.changed_in')} OR ${isUntold('t.changed_in')} OR ${isUntoldSinceRegistered} AS untold
  FROM ${passVersions}
  WHERE p.serial_number = r.serial_number AND p.account_id = r.account_id
  UNION ALL
  SELECT x.deleted_at, ${isUntold('x.changed_in')} OR ${isUntoldSinceRegistered}
  FROM ${deletedPassVersions} WHERE x.serial_number = r.serial_number AND x.account_id = r.account_id
) current`;

/** SQL: whether the device of such a registration has to be told. */
export const isBehind = `(r.seen_at < current.at OR current.untold)`;

/**
 * SQL: whether a device `d` has to be told of any of its passes. Says the same as the two above, for who asks of many
 * devices most of which are behind: nothing is looked up, or worked out, once that is clear.
 */
export const isDeviceBehind = `EXISTS (
  SELECT FROM apple_registration r WHERE r.account_id = d.account_id AND r.device_id = d.id AND (
    EXISTS (
      SELECT FROM ${passVersions}
      WHERE p.serial_number = r.serial_number AND p.account_id = r.account_id
        AND (r.seen_at < p.updated_at OR r.seen_at < t.updated_at
          OR ${isUntold('p.changed_in')} OR ${isUntold('t.changed_in')} OR ${isUntoldSinceRegistered}))
    OR EXISTS (
      SELECT FROM ${deletedPassVersions}
      WHERE x.serial_number = r.serial_number AND x.account_id = r.account_id
        AND (r.seen_at < x.deleted_at OR ${isUntold('x.changed_in')} OR ${isUntoldSinceRegistered}))
  ))`;
