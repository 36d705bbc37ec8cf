import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ClearRows } from '../personal-data/clear-rows.js';
import { keysOfUsers, usersHaveKey } from '../personal-data/encryption-keys.repository.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { UserIdentity } from './user-identity.entity.js';

type Identity = Pick<UserIdentity, 'issuer' | 'subject'>;

@Injectable()
export class IdentitiesRepository extends ClearRows<UserIdentity> {
  constructor(private readonly keys: PersonalData) {
    super();
  }

  /** Finds the user that an identity is linked to. */
  async findUid(tx: EntityManager, { issuer, subject }: Identity): Promise<string | null> {
    const index = (await this.keys.find(keysOfUsers, tx))?.identityIndexOf(issuer, subject) ?? null;
    const [row] = await tx.query<{ uid: string }[]>(
      `SELECT uid FROM user_identity
       WHERE issuer = $1 AND ((subject = $2 AND NOT is_hashed) OR (subject = $3 AND is_hashed))`,
      [issuer, subject, index],
    );
    return row?.uid ?? null;
  }

  /** Locks an identity, so that only one transaction at a time looks it up and links it. */
  async lock(tx: EntityManager, { issuer, subject }: Identity): Promise<void> {
    const key = JSON.stringify([issuer, subject]);
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('identity/' || $1, 4172839))`, [key]);
  }

  async insert(tx: EntityManager, identity: Omit<UserIdentity, 'isHashed'>): Promise<void> {
    await tx.insert(UserIdentity, { ...identity, ...(await this.columnsOf(tx, identity)) });
  }

  /** Locks unencrypted identities of all accounts. Only for the scheduled encryption. */
  override lockInClear(tx: EntityManager, after: Identity | null, limit: number): Promise<UserIdentity[]> {
    const from = { issuer: after?.issuer ?? '', subject: after?.subject ?? '' };
    return tx
      .createQueryBuilder(UserIdentity, 'identity')
      .where('(identity.issuer, identity.subject) > (:issuer, :subject) AND NOT identity.isHashed', from)
      .andWhere(usersHaveKey)
      .orderBy('identity.issuer')
      .addOrderBy('identity.subject')
      .limit(limit)
      .setLock('pessimistic_write')
      .setOnLocked('skip_locked')
      .getMany();
  }

  /** Hashes the subject of a locked identity, unless a node of an older version has linked the same identity again. */
  override async encrypt(tx: EntityManager, { issuer, subject, uid }: UserIdentity): Promise<string | null> {
    const columns = await this.columnsOf(tx, { issuer, subject });
    if (columns.subject === undefined) return null;
    if (await tx.existsBy(UserIdentity, { issuer, ...columns })) {
      return `An identity of user ${uid} at ${issuer} is linked twice.`;
    }
    await tx.update(UserIdentity, { issuer, subject }, columns);
    return null;
  }

  private async columnsOf(
    tx: EntityManager,
    { issuer, subject }: Identity,
  ): Promise<Partial<Pick<UserIdentity, 'subject' | 'isHashed'>>> {
    const key = await this.keys.findForWrite(keysOfUsers, tx);
    return key ? { subject: key.identityIndexOf(issuer, subject), isHashed: true } : {};
  }

  /**
   * Takes a shared lock on the user until `tx` ends, so that a password reset cannot miss the session that `tx` opens.
   */
  async holdUser(tx: EntityManager, uid: string): Promise<void> {
    await tx.query('SELECT FROM app_user WHERE uid = $1 FOR SHARE', [uid]);
  }

  /**
   * Returns the requested account if the user is in it, and otherwise the account that the user joined first. Returns
   * null if the user is in no account.
   */
  async findAccount(tx: EntityManager, uid: string, asked: string | null): Promise<string | null> {
    const [row] = await tx.query<{ accountId: string }[]>(
      `SELECT account_id AS "accountId" FROM account_member WHERE uid = $1
       ORDER BY coalesce(account_id = $2, false) DESC, created_at, account_id LIMIT 1`,
      [uid, asked],
    );
    return row?.accountId ?? null;
  }
}
