import { deletedPassVersions, passVersions } from '@passwright/passes';

/*
 * Finds changes of a pass that a device has not listed yet. `seen_at` is not enough, because the recorded fetch may
 * come from another device with the same token. `listed_in` is the snapshot of the device's last list.
 */

const isUnreported = (changedIn: string) => `COALESCE(
  ${changedIn} < pg_snapshot_xmax(pg_current_snapshot())
  AND pg_snapshot_xmax(d.listed_in) <= pg_snapshot_xmax(pg_current_snapshot())
  AND NOT pg_visible_in_snapshot(${changedIn}, d.listed_in), false)`;

/**
 * Treats a device as outdated if the pass changed before the device registered for it, because the device may have an
 * older version.
 */
const isUnreportedSinceRegistered = `(r.registered_in IS NOT NULL AND (d.listed_in IS NULL OR ${isUnreported('r.registered_in')}))`;

/**
 * Returns SQL for a lateral join with a registration `r` of a device `d`. `current.at` is the time of the current
 * version of the pass. `current.untold` is true if this version or the registration is newer than the device's last
 * list. Without a list, only the registration counts.
 * @param account the account as an SQL expression
 */
export const currentVersion = (account = 'r.account_id'): string => `(
  SELECT GREATEST(p.updated_at, t.updated_at) AS at,
    ${isUnreported('p.changed_in')} OR ${isUnreported('t.changed_in')} OR ${isUnreportedSinceRegistered} AS untold
  FROM ${passVersions(account)}
  WHERE p.serial_number = r.serial_number AND p.account_id = ${account}
  UNION ALL
  SELECT x.deleted_at, ${isUnreported('x.changed_in')} OR ${isUnreportedSinceRegistered}
  FROM ${deletedPassVersions} WHERE x.serial_number = r.serial_number AND x.account_id = ${account}
) current`;

/** SQL: true if the device of a registration `r` is outdated for this pass. Needs a join with `currentVersion`. */
export const isBehind = `(r.seen_at < current.at OR current.untold)`;

/**
 * Returns SQL that is true if device `d` is outdated for any of its passes. It gives the same result as `isBehind` for
 * each pass, but stops at the first outdated one.
 * @param account the account as an SQL expression
 */
export const isDeviceBehind = (account: string): string => `EXISTS (
  SELECT FROM apple_registration r WHERE r.account_id = ${account} AND r.device_id = d.id AND (
    EXISTS (
      SELECT FROM ${passVersions(account)}
      WHERE p.serial_number = r.serial_number AND p.account_id = ${account}
        AND (r.seen_at < p.updated_at OR r.seen_at < t.updated_at
          OR ${isUnreported('p.changed_in')} OR ${isUnreported('t.changed_in')} OR ${isUnreportedSinceRegistered}))
    OR EXISTS (
      SELECT FROM ${deletedPassVersions}
      WHERE x.serial_number = r.serial_number AND x.account_id = ${account}
        AND (r.seen_at < x.deleted_at OR ${isUnreported('x.changed_in')} OR ${isUnreportedSinceRegistered}))
  ))`;
