import { Injectable } from '@nestjs/common';
import { Database, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { type PassSerial, isHeldSql } from '@passwright/passes';

/** Finds passes that devices hold. */
@Injectable()
export class RegisteredPassesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the passes for which at least one device is registered. */
  findRegistered(tx: EntityManager, passes: readonly PassSerial[]): Promise<PassSerial[]> {
    return perAccount(this.database, passes, (some, write) => {
      const serials = [some.map(({ accountId }) => accountId), some.map(({ serialNumber }) => serialNumber)];
      return some.length === 1
        ? this.database.prepared<PassSerial>(tx, 'apple-registered-pass', write(registeredSql), serials, true)
        : tx.query<PassSerial[]>(write(registeredSql), serials);
    });
  }

  /**
   * Returns true if a device is registered for an existing pass of the template. May also return true at the limits of
   * `isHeldSql`.
   */
  async hasOfTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<boolean> {
    const [row] = await tx.query<[{ held: boolean }]>(ofTemplateSql, [accountId, templateId]);
    return row.held;
  }
}

export const registeredSql = `
  SELECT k.account_id AS "accountId", k.serial_number AS "serialNumber"
  FROM unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
  WHERE EXISTS (
    SELECT FROM apple_registration r WHERE r.account_id = k.account_id AND r.serial_number = k.serial_number
  )`;

export const ofTemplateSql = isHeldSql('apple_registration', 'device_id');
