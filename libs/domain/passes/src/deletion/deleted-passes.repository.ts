import { Injectable } from '@nestjs/common';
import { Database, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { canExist, type PassAddress } from '../addresses/pass-address.js';

/** Maximum number of tombstones in a batch. */
export const LOOKED_AT = 2000;

/** The position of a tombstone in the order of age. */
export interface Tombstone {
  readonly deletedAt: Date;
  readonly accountId: string;
  readonly serialNumber: string;
}

const oldPageSql = `
  SELECT deleted_at AS "deletedAt", account_id AS "accountId", serial_number AS "serialNumber" FROM deleted_pass
  WHERE deleted_at < $1 AND (deleted_at, account_id, serial_number) > ($2::timestamptz, $3, $4)
  ORDER BY deleted_at, account_id, serial_number LIMIT ${LOOKED_AT}`;

const deleteSql = `
  DELETE FROM deleted_pass d USING unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
  WHERE d.account_id = k.account_id AND d.serial_number = k.serial_number`;

/** Reads and deletes the tombstones of deleted passes. */
@Injectable()
export class DeletedPassesRepository {
  constructor(private readonly database: Database) {}

  /** Returns true if a pass with this address was deleted. A new pass may have the same address. */
  async has(address: PassAddress): Promise<boolean> {
    if (!canExist(address)) return false;
    const { accountId, templateId, passId } = address;
    const rows = await this.database.reads.query<unknown[]>(
      'SELECT FROM deleted_pass WHERE account_id = $1 AND template_id = $2 AND pass_id = $3 LIMIT 1',
      [accountId, templateId, passId],
    );
    return rows.length > 0;
  }

  /** Lists the serial numbers of the deleted passes with this address. */
  async serialNumbers(tx: EntityManager, { accountId, templateId, passId }: PassAddress): Promise<string[]> {
    const rows = await tx.query<{ serialNumber: string }[]>(
      `SELECT serial_number AS "serialNumber" FROM deleted_pass
       WHERE account_id = $1 AND template_id = $2 AND pass_id = $3`,
      [accountId, templateId, passId],
    );
    return rows.map(({ serialNumber }) => serialNumber);
  }

  /** Lists a batch of tombstones older than `before` across all accounts, oldest first. */
  listOld(tx: EntityManager, before: Date, after: Tombstone | null): Promise<Tombstone[]> {
    const { deletedAt = '-infinity', accountId = '', serialNumber = '' } = after ?? {};
    return tx.query<Tombstone[]>(oldPageSql, [before, deletedAt, accountId, serialNumber]);
  }

  async deleteTombstones(tx: EntityManager, tombstones: readonly Tombstone[]): Promise<void> {
    await perAccount(this.database, tombstones, (some, write) => {
      const accountIds = some.map(({ accountId }) => accountId);
      return tx.query<never[]>(write(deleteSql), [accountIds, some.map(({ serialNumber }) => serialNumber)]);
    });
  }
}
