import { Injectable } from '@nestjs/common';
import { Unauthorized } from '@passwright/core';
import { Database, isForeignKeyViolation } from '@passwright/database';
import { LessThanOrEqual, type EntityManager } from 'typeorm';
import { Session } from './session.entity.js';

/** A session by its key. */
export interface SessionKey {
  readonly accountId: string;
  readonly sessionId: string;
}

@Injectable()
export class SessionsRepository {
  constructor(private readonly database: Database) {}

  /** @throws Unauthorized when the user has just been removed from the account */
  async insert(tx: EntityManager, session: Session): Promise<void> {
    try {
      await tx.insert(Session, session);
    } catch (error) {
      if (!isForeignKeyViolation(error, 'session_account_id_uid_fkey')) throw error;
      throw new Unauthorized('The user is no longer in this account.');
    }
  }

  /** Whether the user of a living session is an admin; null when the session has ended. One query, on every request. */
  async findRole(key: SessionKey, uid: string, now: Date): Promise<{ isAdmin: boolean } | null> {
    const [row] = await this.database.lookUp<{ isAdmin: boolean }>(
      'session-role',
      `SELECT m.is_admin AS "isAdmin"
       FROM session s JOIN account_member m ON m.account_id = s.account_id AND m.uid = s.uid
       WHERE s.account_id = $1 AND s.id = $2 AND s.uid = $3 AND s.expires_at > $4`,
      [key.accountId, key.sessionId, uid, now],
    );
    return row ?? null;
  }

  /**
   * Replaces the token hash, where the old one is still the current one: of simultaneous calls with one token the
   * database lets one through.
   * @returns the session's user, null when the token is not the current one or its time is over
   */
  async replaceToken(
    tx: EntityManager,
    key: SessionKey,
    hashes: { old: Buffer; new: Buffer },
    times: { now: Date; expiresAt: Date },
  ): Promise<{ uid: string } | null> {
    const [rows] = await tx.query<[{ uid: string }[], number]>(
      `UPDATE session SET token_hash = $4, expires_at = $6
       WHERE account_id = $1 AND id = $2 AND token_hash = $3 AND expires_at > $5 RETURNING uid`,
      [key.accountId, key.sessionId, hashes.old, hashes.new, times.now, times.expiresAt],
    );
    return rows[0] ?? null;
  }

  async delete(tx: EntityManager, { accountId, sessionId }: SessionKey): Promise<void> {
    await tx.delete(Session, { accountId, id: sessionId });
  }

  /** Over all accounts: only for the timed clean-up. */
  async deleteExpired(tx: EntityManager, now: Date): Promise<void> {
    await tx.delete(Session, { expiresAt: LessThanOrEqual(now) });
  }
}
