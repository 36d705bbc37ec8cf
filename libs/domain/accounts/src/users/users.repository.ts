import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, newId } from '@passwright/core';
import { Database, isUniqueViolation } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { ClearRows } from '../personal-data/clear-rows.js';
import { usersHaveKey } from '../personal-data/encryption-keys.repository.js';
import { KeyMissing } from '../personal-data/key-missing.js';
import { UserEncryption, type StoredPerson } from './user-encryption.service.js';
import { personalColumns, User } from './user.entity.js';
import { EmailTaken } from './users.errors.js';

/** The data against which a login is checked. */
export interface LoginRecord {
  readonly uid: string;
  /** Null for a user who cannot sign in with a password. */
  readonly passwordHash: string | null;
  /**
   * The requested account; without a request, the account that the user joined first. Null if the user is in no
   * account, or not in the requested one.
   */
  readonly accountId: string | null;
}

@Injectable()
export class UsersRepository extends ClearRows<User> {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** @throws EmailTaken if a user has the e-mail, in upper or lower case, even if two calls are simultaneous */
  async insert(tx: EntityManager, given: Pick<User, 'email' | 'name' | 'passwordHash'>): Promise<User> {
    const user: User = { ...given, uid: newId('usr'), createdAt: this.clock.now() };
    await this.rejectTaken(tx, user);
    const columns = await this.encryption.columnsOf(tx, user);
    await tx.insert(User, { ...user, ...columns }).catch(toEmailTaken);
    return user;
  }

  /** Changes a locked user. @throws EmailTaken, KeyMissing */
  async change(tx: EntityManager, uid: string, changes: Partial<Pick<User, 'email' | 'name'>>): Promise<void> {
    if (changes.email !== undefined) await this.rejectTaken(tx, { uid, email: changes.email });
    const stored = await tx.findOneByOrFail(User, { uid });
    const { salt, personal } = stored;
    const opened = await this.encryption.open(stored, tx);
    if (personal && opened.email === '') throw new KeyMissing();
    const changed = { ...opened, ...changes };
    const columns = await this.encryption.columnsOf(tx, changed, salt);
    await tx.update(User, { uid }, columns).catch(toEmailTaken);
  }

  /** Returns the names of users by their uids. */
  async namesOf(uids: readonly string[]): Promise<Map<string, string>> {
    if (uids.length === 0) return new Map();
    const sql = `SELECT ${personalColumns('u')} FROM app_user u WHERE uid = ANY ($1::text[])`;
    const users = await this.database.reads.query<StoredPerson[]>(sql, [[...new Set(uids)]]);
    return new Map((await this.encryption.openAll(users)).map(({ uid, name }) => [uid, name]));
  }

  /** Returns true if the user still has the password that was checked, and locks the password until `tx` ends. */
  async holdPassword(tx: EntityManager, { uid, passwordHash }: LoginRecord): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT FROM app_user WHERE uid = $1 AND password_hash = $2 FOR SHARE', [
      uid,
      passwordHash,
    ]);
    return rows.length > 0;
  }

  /**
   * Finds the login data by e-mail. Always runs two queries, so that the response time does not reveal whether the
   * e-mail is registered. @param accountId the account to log in to; null for the account that the user joined first
   */
  async findLogin(email: string, accountId: string | null): Promise<LoginRecord | null> {
    type Row = Omit<LoginRecord, 'accountId'>;
    const [user] = await this.database.reads.query<Row[]>(
      'SELECT uid, password_hash AS "passwordHash" FROM app_user WHERE lower(email) = ANY ($1::text[])',
      [await this.encryption.formsOf(email)],
    );
    const [member] = await this.database.reads.query<{ accountId: string }[]>(
      `SELECT account_id AS "accountId" FROM account_member
       WHERE uid = $1 AND ($2::text IS NULL OR account_id = $2) ORDER BY created_at, account_id LIMIT 1`,
      [user?.uid ?? '', accountId],
    );
    return user ? { ...user, accountId: member?.accountId ?? null } : null;
  }

  /** Locks unencrypted users across all accounts. Only for the scheduled encryption. */
  override lockInClear(tx: EntityManager, after: Pick<User, 'uid'> | null, limit: number): Promise<User[]> {
    return tx
      .createQueryBuilder(User, 'user')
      .where('user.uid > :after AND user.personal IS NULL', { after: after?.uid ?? '' })
      .andWhere(usersHaveKey)
      .orderBy('user.uid')
      .limit(limit)
      .setLock('for_no_key_update')
      .setOnLocked('skip_locked')
      .getMany();
  }

  /**
   * Encrypts a locked user, unless a node of an older version has registered another user with the same e-mail address.
   */
  override async encrypt(tx: EntityManager, user: User): Promise<string | null> {
    if (await this.isTaken(tx, user)) return `User ${user.uid} has the e-mail of another.`;
    await tx.update(User, { uid: user.uid }, await this.encryption.columnsOf(tx, user));
    return null;
  }

  /**
   * Returns true if another user has the e-mail address. Takes a lock and looks for the encrypted and the unencrypted
   * form, which the unique index cannot compare.
   */
  private async isTaken(tx: EntityManager, { uid, email }: Pick<User, 'uid' | 'email'>): Promise<boolean> {
    const hash = createHash('sha256').update(email.toLowerCase()).digest('base64url');
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('email/' || $1, 4172839))`, [hash]);
    const forms = await this.encryption.formsOf(email, tx);
    const sql = 'SELECT FROM app_user WHERE lower(email) = ANY ($1::text[]) AND uid <> $2';
    return (await tx.query<unknown[]>(sql, [forms, uid])).length > 0;
  }

  /** @throws EmailTaken */
  private async rejectTaken(tx: EntityManager, user: Pick<User, 'uid' | 'email'>): Promise<void> {
    if (await this.isTaken(tx, user)) throw new EmailTaken();
  }
}

function toEmailTaken(error: unknown): never {
  throw isUniqueViolation(error, 'app_user_email_key') ? new EmailTaken() : error;
}
