import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UserEncryption, type StoredPerson } from '../users/user-encryption.service.js';
import { personalColumns } from '../users/user.entity.js';

/** An admin's e-mail address and the name of the account. */
export interface Admin {
  readonly email: string;
  readonly accountName: string;
}

const columns = `${personalColumns('u')}, a.name AS "accountName"`;
const findSql = `
  SELECT ${columns} FROM account_member m JOIN app_user u ON u.uid = m.uid JOIN account a ON a.id = m.account_id
  WHERE m.account_id = $1 AND m.uid = $2 AND m.is_admin`;
/** Replaces `findSql` on Citus, which may store the users' salts on another server. */
const findOnCitusSql = `
  WITH a AS MATERIALIZED (
    SELECT m.uid, a.name FROM account_member m JOIN account a ON a.id = m.account_id
    WHERE m.account_id = $1 AND m.uid = $2 AND m.is_admin
  )
  SELECT ${columns} FROM a JOIN app_user u ON u.uid = a.uid`;

/** The admins of an account, who receive its notifications. */
@Injectable()
export class AccountAdmins {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /**
   * Lists the uids of the current admins. Add one job per admin, so that each mail can fail and be retried on its own.
   */
  async listUids(tx: EntityManager, accountId: string): Promise<string[]> {
    const rows = await tx.query<{ uid: string }[]>(
      'SELECT uid FROM account_member WHERE account_id = $1 AND is_admin ORDER BY uid',
      [accountId],
    );
    return rows.map(({ uid }) => uid);
  }

  /** Lists the current admins of several accounts, ordered by account and uid. */
  listAll(tx: EntityManager, accountIds: readonly string[]): Promise<{ accountId: string; uid: string }[]> {
    return tx.query(
      `SELECT account_id AS "accountId", uid FROM account_member WHERE account_id = ANY ($1) AND is_admin
       ORDER BY account_id, uid`,
      [accountIds],
    );
  }

  /** @returns null if the user is no longer an admin of the account */
  async find(accountId: string, uid: string): Promise<Admin | null> {
    const [row] = await this.database.reads.query<(Admin & StoredPerson)[]>(
      this.database.isDistributed ? findOnCitusSql : findSql,
      [accountId, uid],
    );
    const admin = await this.encryption.open(row ?? null);
    return admin && { email: admin.email, accountName: admin.accountName };
  }
}
