import { Injectable } from '@nestjs/common';
import { Unauthorized, type Position } from '@passwright/core';
import { Database, isForeignKeyViolation, deleteSome } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { Session } from './session.entity.js';

export interface SessionKey {
  readonly accountId: string;
  readonly sessionId: string;
}

/** A session as its user sees it. */
export type UsersSession = Pick<Session, 'id' | 'accountId' | 'createdAt' | 'lastUsedAt' | 'ip' | 'userAgent'> & {
  readonly accountName: string;
};

/** The user's role in the account of a session. */
export interface SessionRole {
  readonly isAdmin: boolean;
  /** Null unless the account is being deleted. */
  readonly accountDeletesAt: Date | null;
}

@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  async findCreatedAt({ accountId, sessionId: id }: SessionKey): Promise<Date | null> {
    const session = await this.database.reads.findOneBy(Session, { accountId, id });
    return session?.createdAt ?? null;
  }

  /** Inserts a session. @throws Unauthorized if the user has just been removed from the account */
  async insert(tx: EntityManager, session: Session): Promise<void> {
    try {
      await tx.insert(Session, session);
    } catch (error) {
      if (!isForeignKeyViolation(error, 'session_account_id_uid_fkey', ['account_id', 'uid'])) throw error;
      throw new Unauthorized('The user is no longer in this account.');
    }
  }

  /**
   * Returns the role of an open session's user; null if the session has ended. Uses a single query, because every
   * request of a user calls it.
   */
  async findRole(key: SessionKey, uid: string, now: Date): Promise<SessionRole | null> {
    const [row] = await this.database.lookUp<SessionRole>(
      'session-role',
      `SELECT m.is_admin AS "isAdmin",
         (SELECT deletes_at FROM account_deletion d WHERE d.account_id = $1) AS "accountDeletesAt"
       FROM session s JOIN account_member m ON m.account_id = $1 AND m.uid = s.uid
       WHERE s.account_id = $1 AND s.id = $2 AND s.uid = $3 AND s.expires_at > $4`,
      [key.accountId, key.sessionId, uid, now],
    );
    return row ?? null;
  }

  /**
   * Replaces the token hash if the old one is still current. Of several simultaneous calls with the same token, only
   * one succeeds.
   * @returns the session's user; null if the token is not current or the session has expired
   */
  async replaceToken(
    tx: EntityManager,
    key: SessionKey,
    hashes: { old: Buffer; new: Buffer },
    use: { now: Date; expiresAt: Date; ip: string | null },
  ): Promise<{ uid: string } | null> {
    const [rows] = await tx.query<[{ uid: string }[], number]>(
      `UPDATE session SET token_hash = $4, expires_at = $6, last_used_at = $5, ip = $7
       WHERE account_id = $1 AND id = $2 AND token_hash = $3 AND expires_at > $5 RETURNING uid`,
      [key.accountId, key.sessionId, hashes.old, hashes.new, use.now, use.expiresAt, use.ip],
    );
    return rows[0] ?? null;
  }

  /**
   * Returns true if the session is open. Locks its user until `tx` ends, so that no other transaction can end all of
   * the user's sessions.
   */
  async holdLiving(tx: EntityManager, { accountId, sessionId }: SessionKey, uid: string, now: Date): Promise<boolean> {
    await tx.query('SELECT FROM app_user WHERE uid = $1 FOR SHARE', [uid]);
    const rows = await tx.query<unknown[]>(
      'SELECT FROM session WHERE account_id = $1 AND id = $2 AND uid = $3 AND expires_at > $4',
      [accountId, sessionId, uid, now],
    );
    return rows.length > 0;
  }

  /** Deletes a session. @returns the session's user; null if the session does not exist or has expired */
  async delete(tx: EntityManager, { accountId, sessionId }: SessionKey, now: Date): Promise<{ uid: string } | null> {
    const [[ended]] = await tx.query<[{ uid: string; lived: boolean }[], number]>(
      'DELETE FROM session WHERE account_id = $1 AND id = $2 RETURNING uid, expires_at > $3 AS lived',
      [accountId, sessionId, now],
    );
    return ended?.lived ? { uid: ended.uid } : null;
  }

  /**
   * Lists the user's open sessions across all accounts, newest first. @param after the position of the last session of
   * the previous page, null for the first page
   */
  listOfUser(uid: string, now: Date, limit: number, after: Position | null): Promise<UsersSession[]> {
    return this.database.reads.query<UsersSession[]>(
      `SELECT s.id, s.account_id AS "accountId", a.name AS "accountName", s.created_at AS "createdAt",
         s.last_used_at AS "lastUsedAt", s.ip, s.user_agent AS "userAgent"
       FROM session s JOIN account a ON a.id = s.account_id
       WHERE s.uid = $1 AND s.expires_at > $2
         AND ($4::timestamptz IS NULL OR (s.created_at, s.id) < ($4::timestamptz, $5::text))
       ORDER BY s.created_at DESC, s.id DESC LIMIT $3`,
      [uid, now, limit, ...(after ?? [null, null])],
    );
  }

  /**
   * Deletes a session of the user in any account. @returns the deleted session; empty if the user has no such session
   */
  async deleteOneOfUser(tx: EntityManager, uid: string, id: string): Promise<{ accountId: string; id: string }[]> {
    return deleted(tx, 'DELETE FROM session WHERE uid = $1 AND id = $2 RETURNING account_id AS "accountId", id', [
      uid,
      id,
    ]);
  }

  /**
   * Deletes the user's sessions in every account. The caller must have locked the user. @param except the session to
   * keep. @returns the deleted sessions
   */
  deleteOfUser(tx: EntityManager, uid: string, except: string | null): Promise<{ accountId: string; id: string }[]> {
    return deleted(
      tx,
      'DELETE FROM session WHERE uid = $1 AND id IS DISTINCT FROM $2 RETURNING account_id AS "accountId", id',
      [uid, except],
    );
  }

  /** Deletes expired sessions of all accounts. Only for the scheduled clean-up. */
  deleteExpired(tx: EntityManager, now: Date, limit: number): Promise<number> {
    const expired = { table: 'session', key: ['account_id', 'id'], condition: 'old.expires_at <= $1', values: [now] };
    return deleteSome(this.database, tx, expired, limit);
  }
}

async function deleted(
  tx: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<{ accountId: string; id: string }[]> {
  const [rows] = await tx.query<[{ accountId: string; id: string }[], number]>(sql, [...values]);
  return rows;
}
