import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { HeldPass } from '@passwright/passes';
import { afterAnyPush } from '../push/push-page.entity.js';
import type { AppleDevice } from './apple-device.entity.js';
import type { LeaveReason } from './apple-former-registration.entity.js';
import type { AppleRegistration } from './apple-registration.entity.js';
import type { DeviceName } from './device-request.js';

type NewDevice = Pick<AppleDevice, 'accountId' | 'id' | 'pushToken' | 'registeredAt' | keyof DeviceName>;
type NewRegistration = Pick<
  AppleRegistration,
  'accountId' | 'deviceId' | 'serialNumber' | 'templateId' | 'registeredAt' | 'seenAt'
> &
  Pick<HeldPass, 'hasChanged'>;

/** Maximum number of former devices recorded per pass, because a holder can register any number of fake devices. */
const MOST_FORMER = 1000;

/**
 * Registers and unregisters devices, in the tables `apple_device`, `apple_registration` and
 * `apple_former_registration`.
 */
@Injectable()
export class DeviceRegistrationsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Locks the device across all its accounts until `tx` ends, so that its requests run one after another. Take this
   * lock first.
   */
  async takeTurn(tx: EntityManager, { passTypeIdentifier, deviceLibraryIdentifier }: DeviceName): Promise<void> {
    const digest = createHash('sha256').update(`${passTypeIdentifier}\n${deviceLibraryIdentifier}`).digest();
    await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [String(digest.readBigInt64BE())]);
  }

  /**
   * Locks the registrations for the pass until `tx` ends, so that their limit and the number in an event are exact. Lock
   * the device first, with `takeTurn`.
   */
  async takeTurnOfPass(tx: EntityManager, serialNumber: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [serialNumber]);
  }

  /**
   * Keeps at most `most` registrations of a pass: the new one and those of the most recently active devices. Deletes
   * the others and records their devices as former devices. Skips devices that another transaction has locked, until
   * the next registration.
   */
  async deleteSilent(
    tx: EntityManager,
    { accountId, deviceId, serialNumber, registeredAt }: NewRegistration,
    most: number,
  ): Promise<void> {
    await tx.query(
      `WITH silent AS (
         SELECT r.device_id FROM apple_registration r
         JOIN apple_device d ON d.account_id = r.account_id AND d.id = r.device_id
         WHERE r.account_id = $1 AND r.serial_number = $2 AND r.device_id <> $3
         ORDER BY GREATEST(r.registered_at, r.fetched_at, d.listed_at) DESC, r.device_id OFFSET $4
       ), locked AS (
         SELECT id FROM apple_device WHERE account_id = $1 AND id = ANY (ARRAY (SELECT device_id FROM silent))
         ORDER BY id FOR UPDATE SKIP LOCKED
       ), gone AS (
         DELETE FROM apple_registration r USING locked
         WHERE r.account_id = $1 AND r.serial_number = $2 AND r.device_id = locked.id RETURNING r.device_id
       ), ${noteFormer('$1', '$2', 'device_limit', '$5')}
       DELETE FROM apple_device d USING gone
       WHERE d.account_id = $1 AND d.id = gone.device_id AND NOT EXISTS (
         SELECT FROM apple_registration r
         WHERE r.account_id = $1 AND r.device_id = d.id AND r.serial_number <> $2)`,
      [accountId, serialNumber, deviceId, most - 1, registeredAt],
    );
  }

  /**
   * Updates the push token in all accounts of the device. Resets the failures of the old token, and makes a pending
   * change due immediately.
   */
  async renewPushToken(tx: EntityManager, device: DeviceName, pushToken: string, now: Date): Promise<void> {
    if (this.database.isDistributed) return this.renewInAccounts(tx, device, pushToken, now);
    await tx.query(
      `WITH held AS (
         SELECT account_id, id FROM apple_device
         WHERE pass_type_identifier = $1 AND device_library_identifier = $2
         ORDER BY account_id, id FOR NO KEY UPDATE
       ), renewed AS (
         UPDATE apple_device d SET push_token = $3, bad_tokens = 0, push_failures = 0, push_attempts = 0,
           push_not_before = NULL, due_at = $4::timestamptz
         FROM held WHERE d.account_id = held.account_id AND d.id = held.id AND d.push_token <> $3
         RETURNING d.account_id, d.id
       )
       INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
       SELECT account_id, nextval('apple_push_number'), $4, ${afterAnyPush}, ARRAY[id], 1 FROM renewed`,
      [device.passTypeIdentifier, device.deviceLibraryIdentifier, pushToken, now],
    );
  }

  /** Replaces `renewPushToken` on Citus, where a statement can change rows of only one account. */
  private async renewInAccounts(tx: EntityManager, device: DeviceName, pushToken: string, now: Date): Promise<void> {
    const devices = await tx.query<{ account_id: string; id: string }[]>(
      `SELECT account_id, id FROM apple_device
       WHERE pass_type_identifier = $1 AND device_library_identifier = $2 ORDER BY account_id, id`,
      [device.passTypeIdentifier, device.deviceLibraryIdentifier],
    );
    for (const { account_id: accountId, id } of devices) {
      const [, renewed] = await tx.query<[unknown, number]>(
        `UPDATE apple_device SET push_token = $3, bad_tokens = 0, push_failures = 0, push_attempts = 0,
           push_not_before = NULL, due_at = $4::timestamptz WHERE account_id = $1 AND id = $2 AND push_token <> $3`,
        [accountId, id, pushToken, now],
      );
      if (renewed > 0) await tx.query(addPageSql, [accountId, now, id]);
    }
  }

  /** @returns the id of the existing device, or the new id */
  async upsertDevice(tx: EntityManager, device: NewDevice): Promise<string> {
    const [row] = await tx.query<[{ id: string }]>(
      `INSERT INTO apple_device
         (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (pass_type_identifier, device_library_identifier, account_id)
       DO UPDATE SET registered_at = GREATEST(apple_device.registered_at, excluded.registered_at)
       RETURNING id`,
      [
        device.accountId,
        device.id,
        device.passTypeIdentifier,
        device.deviceLibraryIdentifier,
        device.pushToken,
        device.registeredAt,
      ],
    );
    return row.id;
  }

  /** @returns true if the registration is new. An existing row keeps the version that the device has seen. */
  async upsertRegistration(tx: EntityManager, registration: NewRegistration): Promise<boolean> {
    const { accountId, deviceId, serialNumber, templateId, registeredAt, seenAt, hasChanged } = registration;
    const values = [accountId, deviceId, serialNumber, templateId, registeredAt, seenAt, hasChanged];
    // Repeat if another transaction adds or deletes the same registration meanwhile.
    for (;;) {
      const [{ created, renewed }] = await tx.query<[{ created: boolean; renewed: boolean }]>(upsertSql, values);
      if (created || renewed) return created;
    }
  }

  /**
   * Plans a check of the device at `at`, regardless of earlier pushes. The check decides if the device needs a push.
   */
  async lookAt(tx: EntityManager, accountId: string, deviceId: string, at: Date): Promise<void> {
    await tx.query(
      `WITH noted AS (
         UPDATE apple_device SET due_at = LEAST(due_at, $3::timestamptz) WHERE account_id = $1 AND id = $2
       )
       INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
       VALUES ($1, nextval('apple_push_number'), $3, ${afterAnyPush}, ARRAY[$2], 1)`,
      [accountId, deviceId, at],
    );
  }

  /** Deletes the records of devices that stopped receiving updates before this time. */
  deleteFormer(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const key = ['account_id', 'serial_number', 'device_id'];
    const former = { table: 'apple_former_registration', key, condition: 'old.left_at < $1', values: [before] };
    return deleteSome(this.database, tx, former, limit);
  }

  /** Returns the device's id and locks its row until `tx` ends; null if there is none. */
  async lockDevice(tx: EntityManager, accountId: string, device: DeviceName): Promise<string | null> {
    const [row] = await tx.query<{ id: string }[]>(
      `SELECT id FROM apple_device
       WHERE pass_type_identifier = $1 AND device_library_identifier = $2 AND account_id = $3 FOR UPDATE`,
      [device.passTypeIdentifier, device.deviceLibraryIdentifier, accountId],
    );
    return row?.id ?? null;
  }

  /**
   * Deletes a registration of a locked device, and also the device if it was its last registration. Records at most
   * `MOST_FORMER` former devices of a pass.
   * @returns true if there was a registration
   */
  async delete(
    tx: EntityManager,
    { accountId, deviceId, serialNumber }: Pick<AppleRegistration, 'accountId' | 'deviceId' | 'serialNumber'>,
    now: Date,
  ): Promise<boolean> {
    const gone = await tx.query<unknown[]>(
      `WITH gone AS (
         DELETE FROM apple_registration WHERE account_id = $1 AND device_id = $2 AND serial_number = $3 RETURNING device_id
       ), ${noteFormer('$1', '$3', 'unregistered', '$4')}
       SELECT device_id FROM gone`,
      [accountId, deviceId, serialNumber, now],
    );
    await tx.query(
      `DELETE FROM apple_device WHERE account_id = $1 AND id = $2
       AND NOT EXISTS (SELECT FROM apple_registration WHERE account_id = $1 AND device_id = $2)`,
      [accountId, deviceId],
    );
    return gone.length > 0;
  }
}

const addPageSql = `
  INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
  VALUES ($1, nextval('apple_push_number'), $2, ${afterAnyPush}, ARRAY[$3], 1)`;

/**
 * Returns SQL that records why the devices in `gone` no longer receive updates of a pass, for at most `MOST_FORMER`
 * devices of the pass.
 */
function noteFormer(accountId: string, serialNumber: string, reason: LeaveReason, leftAt: string): string {
  return `noted AS (
    SELECT device_id FROM apple_former_registration
    WHERE account_id = ${accountId} AND serial_number = ${serialNumber} LIMIT ${MOST_FORMER}
  ), former AS (
    INSERT INTO apple_former_registration (account_id, serial_number, device_id, reason, left_at)
    SELECT ${accountId}, ${serialNumber}, device_id, '${reason}', ${leftAt}::timestamptz FROM gone
    LIMIT ${MOST_FORMER} - (SELECT count(*) FROM noted)
    ON CONFLICT (account_id, serial_number, device_id) DO UPDATE SET reason = excluded.reason, left_at = excluded.left_at
  )`;
}

/**
 * Adds or renews a registration. Does not use `xmax` to detect a new row, because a statement on partitions does not
 * return it.
 */
const upsertSql = `
  WITH former AS (
    DELETE FROM apple_former_registration WHERE account_id = $1 AND serial_number = $3 AND device_id = $2
  ), created AS (
    INSERT INTO apple_registration
      (account_id, device_id, serial_number, template_id, registered_at, seen_at, registered_in)
    VALUES ($1, $2, $3, $4, $5::timestamptz, $6, CASE WHEN $7 THEN pg_current_xact_id() END)
    ON CONFLICT (account_id, device_id, serial_number) DO NOTHING RETURNING 1
  ), renewed AS (
    UPDATE apple_registration SET registered_at = GREATEST(registered_at, $5::timestamptz)
    WHERE account_id = $1 AND device_id = $2 AND serial_number = $3 AND NOT EXISTS (SELECT FROM created)
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM created) AS created, EXISTS (SELECT FROM renewed) AS renewed`;
