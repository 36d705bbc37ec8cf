import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UserEncryption, type StoredPerson } from './user-encryption.service.js';
import { personalColumns } from './user.entity.js';

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

type StoredCredentials = UserCredentials & StoredPerson;

const columns = `${personalColumns('u')}, u.password_hash AS "passwordHash"`;

/** Users by what they sign in with, over all accounts. */
@Injectable()
export class UserCredentialsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /** A look-up by credential. */
  async findUid(email: string): Promise<string | null> {
    const [row] = await this.database.reads.query<{ uid: string }[]>(
      'SELECT uid FROM app_user WHERE lower(email) = ANY ($1::text[])',
      [await this.encryption.formsOf(email)],
    );
    return row?.uid ?? null;
  }

  async find(uid: string): Promise<UserCredentials | null> {
    const sql = `SELECT ${columns} FROM app_user u WHERE uid = $1`;
    const [row] = await this.database.reads.query<StoredCredentials[]>(sql, [uid]);
    return this.encryption.open(row ?? null);
  }

  /** Of a user who is there: signed in, or with a code. */
  async get(uid: string): Promise<UserCredentials> {
    return present(await this.find(uid));
  }

  /** As `lock`; null where there is no such user. */
  async lockIfThere(tx: EntityManager, uid: string): Promise<UserCredentials | null> {
    const sql = `SELECT ${columns} FROM app_user u WHERE uid = $1 FOR NO KEY UPDATE`;
    const [row] = await tx.query<StoredCredentials[]>(sql, [uid]);
    return this.encryption.open(row ?? null, tx);
  }

  /** As `lock`, by the e-mail, whatever its letters. */
  async lockByEmail(tx: EntityManager, email: string): Promise<UserCredentials | null> {
    const sql = `SELECT ${columns} FROM app_user u WHERE lower(email) = ANY ($1::text[]) FOR NO KEY UPDATE`;
    const [row] = await tx.query<StoredCredentials[]>(sql, [await this.encryption.formsOf(email, tx)]);
    return this.encryption.open(row ?? null, tx);
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
    await this.forgetAddresses(tx, uid);
  }

  /** Forgets from where the user has signed in: a stranger who had a way in could go on guessing from there. */
  async forgetAddresses(tx: EntityManager, uid: string): Promise<void> {
    await tx.query('DELETE FROM known_address WHERE uid = $1', [uid]);
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
