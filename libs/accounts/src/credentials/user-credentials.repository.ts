import { Injectable } from '@nestjs/common';
import { Database, isUniqueViolation } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { EmailTaken } from '../users/users.errors.js';

/** What a user signs in with. */
export interface UserCredentials {
  readonly uid: string;
  readonly email: string;
  /** Null: no password signs the user in. */
  readonly passwordHash: string | null;
}

/** An account that a user is in. */
export interface UsersAccount {
  readonly accountId: string;
  readonly name: string;
}

const columns = 'uid, email, password_hash AS "passwordHash"';

/** Users by what they sign in with, over all accounts. */
@Injectable()
export class UserCredentialsRepository {
  constructor(private readonly database: Database) {}

  /** A look-up by credential. */
  async findUid(email: string): Promise<string | null> {
    const [row] = await this.database.reads.query<{ uid: string }[]>(
      'SELECT uid FROM app_user WHERE lower(email) = lower($1)',
      [email],
    );
    return row?.uid ?? null;
  }

  async find(uid: string): Promise<UserCredentials | null> {
    const [row] = await this.database.reads.query<UserCredentials[]>(`SELECT ${columns} FROM app_user WHERE uid = $1`, [
      uid,
    ]);
    return row ?? null;
  }

  /** Of a user who is there: signed in, or with a code. */
  async get(uid: string): Promise<UserCredentials> {
    return present(await this.find(uid));
  }

  /** As `lock`; null where there is no such user. */
  async lockIfThere(tx: EntityManager, uid: string): Promise<UserCredentials | null> {
    const [row] = await tx.query<UserCredentials[]>(
      `SELECT ${columns} FROM app_user WHERE uid = $1 FOR NO KEY UPDATE`,
      [uid],
    );
    return row ?? null;
  }

  /** As `lock`, by the e-mail, whatever its letters. */
  async lockByEmail(tx: EntityManager, email: string): Promise<UserCredentials | null> {
    const [row] = await tx.query<UserCredentials[]>(
      `SELECT ${columns} FROM app_user WHERE lower(email) = lower($1) FOR NO KEY UPDATE`,
      [email],
    );
    return row ?? null;
  }

  /** First in each transaction that changes credentials, codes or several sessions of a user, so that these take turns. */
  async lock(tx: EntityManager, uid: string): Promise<UserCredentials> {
    return present(await this.lockIfThere(tx, uid));
  }

  async setPassword(tx: EntityManager, uid: string, passwordHash: string): Promise<void> {
    await tx.query('UPDATE app_user SET password_hash = $2 WHERE uid = $1', [uid, passwordHash]);
  }

  /**
   * Leaves a password as the only way in, once `tx` has locked the user: codes on their way to whatever address, sessions and
   * identities of a provider end. Codes go first: a session that one of them opens at this moment is then there to be ended.
   * @param passwordHash null: nor does a password sign the user in
   */
  async endOtherWaysIn(tx: EntityManager, uid: string, passwordHash: string | null): Promise<void> {
    await tx.query('UPDATE app_user SET password_hash = $2 WHERE uid = $1', [uid, passwordHash]);
    await tx.query('DELETE FROM user_code WHERE uid = $1', [uid]);
    await tx.query('DELETE FROM session WHERE uid = $1', [uid]);
    await tx.query('DELETE FROM user_identity WHERE uid = $1', [uid]);
  }

  /** @throws EmailTaken */
  async setEmail(tx: EntityManager, uid: string, email: string): Promise<void> {
    try {
      await tx.query('UPDATE app_user SET email = $2 WHERE uid = $1', [uid, email]);
    } catch (error) {
      if (isUniqueViolation(error, 'app_user_email_key')) throw new EmailTaken();
      throw error;
    }
  }

  /** The accounts that the user is in, the one of longest standing first. */
  listAccounts(reads: EntityManager, uid: string): Promise<UsersAccount[]> {
    return reads.query<UsersAccount[]>(
      `SELECT a.id AS "accountId", a.name FROM account_member m JOIN account a ON a.id = m.account_id
       WHERE m.uid = $1 ORDER BY m.created_at, a.id`,
      [uid],
    );
  }
}

function present<T>(row: T | null | undefined): T {
  if (!row) throw new Error('A user with a session or a code is not there');
  return row;
}
