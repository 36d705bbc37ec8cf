import { Injectable } from '@nestjs/common';
import type { Principal } from '@passwright/core';
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

const columns = `${personalColumns('u')}, m.is_admin AS "isAdmin"`;
const membersSql = `
  SELECT ${columns} FROM account_member m JOIN app_user u ON u.uid = m.uid
  WHERE m.account_id = $1`;
/** Replaces `membersSql` on Citus, which may store the users' salts on another server. */
const membersOnCitusSql = `
  WITH m AS MATERIALIZED (SELECT * FROM account_member WHERE account_id = $1)
  SELECT ${columns} FROM m JOIN app_user u ON u.uid = m.uid WHERE m.account_id = $1`;

@Injectable()
export class AccountMembersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  private get members(): string {
    return this.database.isDistributed ? membersOnCitusSql : membersSql;
  }

  /** Lists the users of the account, in the order in which they joined. */
  async list(accountId: string): Promise<MemberWithUser[]> {
    const sql = `${this.members} ORDER BY m.created_at, m.uid`;
    return this.encryption.openAll(await this.database.reads.query<StoredMember[]>(sql, [accountId]));
  }

  /** Locks the account's users until `tx` ends, so that no other transaction can change them. */
  async lock(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
  }

  async find(tx: EntityManager, accountId: string, uid: string): Promise<MemberWithUser | null> {
    const [row] = await tx.query<StoredMember[]>(`${this.members} AND m.uid = $2`, [accountId, uid]);
    return this.encryption.open(row ?? null, tx);
  }

  async hasEmail(tx: EntityManager, accountId: string, email: string): Promise<boolean> {
    const forms = await this.encryption.formsOf(email, tx);
    const rows = await tx.query<unknown[]>(`${this.members} AND lower(u.email) = ANY ($2::text[])`, [accountId, forms]);
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

  /** Locks the user until `tx` ends. Lock the account first. */
  async holdUser(tx: EntityManager, uid: string): Promise<void> {
    await tx.query('SELECT FROM app_user WHERE uid = $1 FOR NO KEY UPDATE', [uid]);
  }

  /**
   * Returns `revoked` for a revoked API key, `rotated` for an outdated secret, and null for a valid key. Locks a valid
   * key until `tx` ends, so that no transaction can revoke it. Keys of the operator and of the host app have no row.
   * Such a key is valid unless the audit trail records its revocation.
   */
  async endOfKey(
    tx: EntityManager,
    { accountId, id, secretRef }: Pick<Principal, 'accountId' | 'id' | 'secretRef'>,
  ): Promise<'revoked' | 'rotated' | null> {
    const values = [accountId, id];
    const [stored] = await tx.query<{ secretRef: string }[]>(
      `SELECT encode(substr(secret_hash, 1, 8), 'hex') AS "secretRef" FROM api_key
       WHERE account_id = $1 AND id = $2 FOR KEY SHARE`,
      values,
    );
    if (stored) return secretRef === undefined || secretRef === stored.secretRef ? null : 'rotated';
    const revoked = await tx.query<unknown[]>(
      `SELECT FROM audit_event
       WHERE account_id = $1 AND target_kind = 'key' AND target_id = $2 AND action = 'key.revoked' LIMIT 1`,
      values,
    );
    return revoked.length > 0 ? 'revoked' : null;
  }

  /** Returns true if the user is in the account. No other transaction can remove the user until `tx` ends. */
  async holdMember(tx: EntityManager, accountId: string, uid: string): Promise<boolean> {
    const sql = 'SELECT FROM account_member WHERE account_id = $1 AND uid = $2 FOR KEY SHARE';
    return (await tx.query<unknown[]>(sql, [accountId, uid])).length > 0;
  }

  /** Returns true if the session is open. Other transactions cannot end the session until `tx` ends. */
  async holdSession(tx: EntityManager, accountId: string, uid: string, sessionId: string): Promise<boolean> {
    const sql = 'SELECT FROM session WHERE account_id = $1 AND id = $2 AND uid = $3 FOR KEY SHARE';
    return (await tx.query<unknown[]>(sql, [accountId, sessionId, uid])).length > 0;
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
