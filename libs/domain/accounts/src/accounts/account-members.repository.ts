import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UserEncryption, type StoredPerson } from '../users/user-encryption.service.js';
import { personalColumns } from '../users/user.entity.js';
import { AccountMember } from './account-member.entity.js';

/** A user in an account. */
export interface MemberWithUser {
  readonly uid: string;
  readonly name: string;
  readonly email: string;
  readonly isAdmin: boolean;
}

type StoredMember = MemberWithUser & StoredPerson;

const members = `
  SELECT ${personalColumns('u')}, m.is_admin AS "isAdmin" FROM account_member m JOIN app_user u ON u.uid = m.uid
  WHERE m.account_id = $1`;

@Injectable()
export class AccountMembersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /** Lists the users of the account, longest-standing first. */
  async list(accountId: string): Promise<MemberWithUser[]> {
    const sql = `${members} ORDER BY m.created_at, m.uid`;
    return this.encryption.openAll(await this.database.reads.query<StoredMember[]>(sql, [accountId]));
  }

  /** Locks the account's users: other transactions that change them wait until `tx` ends. */
  async lock(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  async find(tx: EntityManager, accountId: string, uid: string): Promise<MemberWithUser | null> {
    const [row] = await tx.query<StoredMember[]>(`${members} AND m.uid = $2`, [accountId, uid]);
    return this.encryption.open(row ?? null, tx);
  }

  async hasEmail(tx: EntityManager, accountId: string, email: string): Promise<boolean> {
    const forms = await this.encryption.formsOf(email, tx);
    const rows = await tx.query<unknown[]>(`${members} AND lower(u.email) = ANY ($2::text[])`, [accountId, forms]);
    return rows.length > 0;
  }

  async count(tx: EntityManager, accountId: string): Promise<number> {
    return tx.countBy(AccountMember, { accountId });
  }

  /** Counts the accounts of a user and locks the user until `tx` ends. */
  async countAccounts(tx: EntityManager, uid: string): Promise<number> {
    await this.holdUser(tx, uid);
    return tx.countBy(AccountMember, { uid });
  }

  /** Locks the user until `tx` ends. Lock the account's row before its users. */
  async holdUser(tx: EntityManager, uid: string): Promise<void> {
    await tx.query('SELECT FROM app_user WHERE uid = $1 FOR NO KEY UPDATE', [uid]);
  }

  /**
   * Returns true if the API key was revoked. Otherwise, no transaction can revoke the key until `tx` ends. Keys of the
   * operator and of the host app are not stored, so their absence proves nothing.
   */
  async isKeyRevoked(tx: EntityManager, accountId: string, keyId: string): Promise<boolean> {
    const values = [accountId, keyId];
    const stored = 'SELECT FROM api_key WHERE account_id = $1 AND id = $2 FOR KEY SHARE';
    if ((await tx.query<unknown[]>(stored, values)).length > 0) return false;
    const revoked = await tx.query<unknown[]>(
      `SELECT FROM audit_event
       WHERE account_id = $1 AND target_kind = 'key' AND target_id = $2 AND action = 'key.revoked' LIMIT 1`,
      values,
    );
    return revoked.length > 0;
  }

  async hasOtherAdmin(tx: EntityManager, accountId: string, uid: string): Promise<boolean> {
    const rows = await tx.query<unknown[]>(
      'SELECT FROM account_member WHERE account_id = $1 AND uid <> $2 AND is_admin LIMIT 1',
      [accountId, uid],
    );
    return rows.length > 0;
  }

  async updateRole(tx: EntityManager, accountId: string, uid: string, isAdmin: boolean): Promise<void> {
    await tx.update(AccountMember, { accountId, uid }, { isAdmin });
  }

  /** Removes the user from the account and ends their sessions in it. */
  async delete(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    await tx.delete(AccountMember, { accountId, uid });
  }
}
