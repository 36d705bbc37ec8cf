import { Injectable } from '@nestjs/common';
import { Database, isUniqueViolation } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { User } from './user.entity.js';
import { EmailTaken } from './users.errors.js';

/** What a login is checked against. */
export interface LoginRecord {
  readonly uid: string;
  /** Null: no password signs the user in. */
  readonly passwordHash: string | null;
  /** The account asked for, or the one the user has been in longest; null when the user is not in it, or in none. */
  readonly accountId: string | null;
}

@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** @throws EmailTaken */
  async insert(tx: EntityManager, user: User): Promise<void> {
    try {
      await tx.insert(User, user);
    } catch (error) {
      if (isUniqueViolation(error, 'app_user_email_key')) throw new EmailTaken();
      throw error;
    }
  }

  /** Whether this is still the user's password; from here on it stays so until `tx` ends. */
  async holdPassword(tx: EntityManager, { uid, passwordHash }: LoginRecord): Promise<boolean> {
    const rows = await tx.query<unknown[]>('SELECT FROM app_user WHERE uid = $1 AND password_hash = $2 FOR SHARE', [
      uid,
      passwordHash,
    ]);
    return rows.length > 0;
  }

  /** A look-up by credential. One query in every case, so that its time tells nothing. */
  async findLogin(email: string, accountId: string | null): Promise<LoginRecord | null> {
    const [row] = await this.database.reads.query<LoginRecord[]>(
      `SELECT u.uid, u.password_hash AS "passwordHash", m.account_id AS "accountId"
       FROM app_user u
       LEFT JOIN LATERAL (
         SELECT account_id FROM account_member
         WHERE uid = u.uid AND ($2::text IS NULL OR account_id = $2)
         ORDER BY created_at, account_id LIMIT 1
       ) m ON true
       WHERE lower(u.email) = lower($1)`,
      [email, accountId],
    );
    return row ?? null;
  }
}
