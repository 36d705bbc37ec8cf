import { Injectable } from '@nestjs/common';
import { Database, deleteSome } from '@passwright/database';
import { MoreThan, type EntityManager } from 'typeorm';
import { UserEncryption } from '../users/user-encryption.service.js';
import { UserCode, type CodePurpose } from './user-code.entity.js';

@Injectable()
export class UserCodesRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: UserEncryption,
  ) {}

  /** Stores a code in place of the user's former code for this purpose. */
  async put(tx: EntityManager, code: UserCode): Promise<void> {
    const { uid, email } = code;
    const encrypted = email && (await this.encryption.encryptEmail(tx, uid, email));
    await tx.upsert(UserCode, { ...code, email: encrypted ?? email }, ['uid', 'purpose']);
  }

  /**
   * Replaces the hash of a valid code.
   * @returns the code's data, null if there is no such code
   */
  async renew(
    tx: EntityManager,
    { uid, purpose, codeHash }: Pick<UserCode, 'uid' | 'purpose' | 'codeHash'>,
    now: Date,
  ): Promise<Pick<UserCode, 'email'> | null> {
    const [rows] = await tx.query<[{ email: string | null }[], number]>(
      `UPDATE user_code SET code_hash = $3 WHERE uid = $1 AND purpose = $2 AND expires_at > $4 RETURNING email`,
      [uid, purpose, codeHash, now],
    );
    return rows[0] ? this.opened(tx, { ...rows[0], uid }) : null;
  }

  /** Finds a code by its hash. Returns null if it is unknown, used or expired. */
  async find(purpose: CodePurpose, codeHash: Buffer, now: Date): Promise<UserCode | null> {
    const { reads } = this.database;
    const code = await reads.findOneBy(UserCode, { purpose, codeHash, expiresAt: MoreThan(now) });
    return code && this.opened(reads, code);
  }

  /** Uses up a code. Only one of several simultaneous calls succeeds. @returns null for the other calls */
  async take(
    tx: EntityManager,
    purpose: CodePurpose,
    codeHash: Buffer,
    now: Date,
  ): Promise<Pick<UserCode, 'uid' | 'email' | 'accountId'> | null> {
    const [rows] = await tx.query<[Pick<UserCode, 'uid' | 'email' | 'accountId'>[], number]>(
      `DELETE FROM user_code WHERE code_hash = $1 AND purpose = $2 AND expires_at > $3
       RETURNING uid, email, account_id AS "accountId"`,
      [codeHash, purpose, now],
    );
    return rows[0] ? this.opened(tx, rows[0]) : null;
  }

  /** Deletes all codes of the user. */
  async deleteAll(tx: EntityManager, uid: string): Promise<void> {
    await tx.delete(UserCode, { uid });
  }

  /** Deletes expired codes of all users. Only for the scheduled clean-up. */
  deleteExpired(tx: EntityManager, now: Date, limit: number): Promise<number> {
    const expired = { table: 'user_code', key: ['uid', 'purpose'], condition: 'old.expires_at <= $1', values: [now] };
    return deleteSome(this.database, tx, expired, limit);
  }

  private async opened<Code extends Pick<UserCode, 'uid' | 'email'>>(reads: EntityManager, code: Code): Promise<Code> {
    const { uid, email } = code;
    return { ...code, email: email && (await this.encryption.openEmail(reads, uid, email)) };
  }
}
