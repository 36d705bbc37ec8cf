import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { UserEncryption, type StoredPerson } from './user-encryption.service.js';
import { personalColumns } from './user.entity.js';
import { UserDeleted } from './users.errors.js';

/** The credentials of a user. */
export interface UserCredentials {
  readonly uid: string;
  readonly email: string;
  /** Null for a user who cannot sign in with a password. */
  readonly passwordHash: string | null;
}

/** An account that a user is in. */
export interface UsersAccount {
  readonly accountId: string;
  readonly name: string;
}

type StoredCredentials = UserCredentials & StoredPerson;

const columns = `${personalColumns('u')}, u.password_hash AS "passwordHash"`;

/** Finds users and their credentials across all accounts. */
@Injectable()
export class UserCredentialsRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /** Finds the user with this e-mail. */
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

  /** @throws UserDeleted */
  async get(uid: string): Promise<UserCredentials> {
    return existing(await this.find(uid));
  }

  /** Locks like `lock`, but returns null if the user does not exist. */
  async lockIfThere(tx: EntityManager, uid: string): Promise<UserCredentials | null> {
    const sql = `SELECT ${columns} FROM app_user u WHERE uid = $1 FOR NO KEY UPDATE`;
    const [row] = await tx.query<StoredCredentials[]>(sql, [uid]);
    return this.encryption.open(row ?? null, tx);
  }

  /** Locks like `lock`, but finds the user by e-mail, ignoring case. */
  async lockByEmail(tx: EntityManager, email: string): Promise<UserCredentials | null> {
    const sql = `SELECT ${columns} FROM app_user u WHERE lower(email) = ANY ($1::text[]) FOR NO KEY UPDATE`;
    const [row] = await tx.query<StoredCredentials[]>(sql, [await this.encryption.formsOf(email, tx)]);
    return this.encryption.open(row ?? null, tx);
  }

  /**
   * Locks the user. Call it first in every transaction that changes credentials, codes or several sessions of a user,
   * so that these transactions run one after another. @throws UserDeleted
   */
  async lock(tx: EntityManager, uid: string): Promise<UserCredentials> {
    return existing(await this.lockIfThere(tx, uid));
  }

  async setPassword(tx: EntityManager, uid: string, passwordHash: string): Promise<void> {
    await tx.query('UPDATE app_user SET password_hash = $2 WHERE uid = $1', [uid, passwordHash]);
  }

  /**
   * Sets the password, and ends every other sign-in method: pending codes, sessions and identities of a provider. `tx`
   * must have locked the user. Deletes codes first, so that no code can open a session that stays open.
   * @param passwordHash null: the user cannot sign in with a password either
   */
  async endOtherWaysIn(tx: EntityManager, uid: string, passwordHash: string | null): Promise<void> {
    await tx.query('UPDATE app_user SET password_hash = $2 WHERE uid = $1', [uid, passwordHash]);
    await tx.query('DELETE FROM user_code WHERE uid = $1', [uid]);
    await tx.query('DELETE FROM session WHERE uid = $1', [uid]);
    await tx.query('DELETE FROM user_identity WHERE uid = $1', [uid]);
    await this.forgetAddresses(tx, uid);
  }

  /**
   * Deletes the IP addresses from which the user has signed in, because an attacker could continue guessing passwords
   * from one of them.
   */
  async forgetAddresses(tx: EntityManager, uid: string): Promise<void> {
    await tx.query('DELETE FROM known_address WHERE uid = $1', [uid]);
  }

  /** Lists the accounts that the user is in, in the order in which the user joined them. */
  listAccounts(reads: EntityManager, uid: string): Promise<UsersAccount[]> {
    return reads.query<UsersAccount[]>(
      `SELECT a.id AS "accountId", a.name FROM account_member m JOIN account a ON a.id = m.account_id
       WHERE m.uid = $1 ORDER BY m.created_at, a.id`,
      [uid],
    );
  }
}

/** @throws UserDeleted for null */
export function existing<T>(user: T | null): T {
  if (!user) throw new UserDeleted();
  return user;
}
