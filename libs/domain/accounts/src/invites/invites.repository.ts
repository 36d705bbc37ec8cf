import { Injectable } from '@nestjs/common';
import { Database, deleteSome, lockedPage } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { ClearRows } from '../personal-data/clear-rows.js';
import { UsersRepository } from '../users/users.repository.js';
import { InviteEncryption } from './invite-encryption.service.js';
import { Invite, saltSql, type InviteEnd } from './invite.entity.js';

/** The key of an invitation. */
export type InviteKey = Pick<Invite, 'accountId' | 'id'>;

/** An invitation with the names that its reader sees. */
export interface InviteWithNames extends Invite {
  readonly accountName: string;
  /** Null if an API key sent the invitation. */
  readonly inviterName: string | null;
}

type Stored = Omit<InviteWithNames, 'inviterName'>;

const withNames = `
  SELECT i.account_id AS "accountId", i.id, i.email, i.is_admin AS "isAdmin", i.invited_by AS "invitedBy",
    i.expires_at AS "expiresAt", i.created_at AS "createdAt", i.ended_at AS "endedAt", i.ended_by AS "endedBy",
    i.personal, (${saltSql('i')}) AS salt, a.name AS "accountName"
  FROM invite i JOIN account a ON a.id = i.account_id`;

@Injectable()
export class InvitesRepository extends ClearRows<Invite> {
  constructor(
    private readonly database: Database,
    private readonly encryption: InviteEncryption,
    private readonly users: UsersRepository,
  ) {
    super();
  }

  async insert(tx: EntityManager, invite: Invite): Promise<void> {
    await tx.insert(Invite, { ...invite, ...(await this.encryption.columnsOf(tx, invite)) });
  }

  /** Finds an invitation by its id alone, because codes of an earlier version name no account. */
  async findById(id: string): Promise<InviteWithNames | null> {
    return this.named(
      await this.database.lookUp<Stored>('invite-without-account', `${withNames} WHERE i.id = $1`, [id]),
    );
  }

  async find({ accountId, id }: InviteKey): Promise<InviteWithNames | null> {
    const sql = `${withNames} AND a.id = $1 WHERE i.account_id = $1 AND i.id = $2`;
    return this.named(await this.database.lookUp<Stored>('invite', sql, [accountId, id]));
  }

  /** Reads the current state of the invitation, even if `tx` has waited for another transaction. */
  async findInside(tx: EntityManager, { accountId, id }: InviteKey): Promise<Invite | null> {
    const [invite] = await this.encryption.openAll(await tx.findBy(Invite, { accountId, id }), tx);
    return invite ?? null;
  }

  /** Lists open invitations, newest first. @param after the last invitation of the previous page */
  async listOpen(accountId: string, now: Date, limit: number, after: Pick<Invite, 'createdAt' | 'id'> | null) {
    const query = this.database.reads
      .createQueryBuilder(Invite, 'invite')
      .where('invite.accountId = :accountId AND invite.endedAt IS NULL AND invite.expiresAt > :now', { accountId, now })
      .orderBy('invite.createdAt', 'DESC')
      .addOrderBy('invite.id', 'DESC')
      .limit(limit);
    if (after) {
      const { createdAt, id } = after;
      query.andWhere('(invite.createdAt, invite.id) < (:createdAt, :id)', { createdAt, id });
    }
    return this.encryption.openAll(await query.getMany());
  }

  async countOpen(tx: EntityManager, accountId: string, now: Date): Promise<number> {
    const [row] = await tx.query<{ open: number }[]>(
      `SELECT count(*)::int AS open FROM invite WHERE account_id = $1 AND ended_at IS NULL AND expires_at > $2`,
      [accountId, now],
    );
    return row?.open ?? 0;
  }

  /** Ends an open invitation. Only one of several simultaneous calls succeeds. @returns true if this call ended it */
  async end(tx: EntityManager, { accountId, id }: InviteKey, endedBy: InviteEnd, now: Date): Promise<boolean> {
    const [, ended] = await tx.query<[unknown, number]>(
      `UPDATE invite SET ended_at = $3, ended_by = $4
       WHERE account_id = $1 AND id = $2 AND ended_at IS NULL AND expires_at > $3`,
      [accountId, id, now, endedBy],
    );
    return ended === 1;
  }

  /** Revokes all open invitations that an inviter has sent. */
  async revokeAllBy(tx: EntityManager, accountId: string, inviter: string, now: Date) {
    const [rows] = await tx.query<[Pick<Invite, 'id' | 'isAdmin'>[], number]>(
      `UPDATE invite SET ended_at = $3, ended_by = 'revoked'
       WHERE account_id = $1 AND invited_by = $2 AND ended_at IS NULL AND expires_at > $3
       RETURNING id, is_admin AS "isAdmin"`,
      [accountId, inviter, now],
    );
    return rows;
  }

  /**
   * Ends the invitation of an e-mail address, even if it has expired, so that a new one can be added.
   * @returns the id of the ended invitation; null if there was none
   */
  async replace(tx: EntityManager, accountId: string, email: string, now: Date): Promise<string | null> {
    const [rows] = await tx.query<[{ id: string }[], number]>(
      `UPDATE invite SET ended_at = $3, ended_by = 'replaced'
       WHERE account_id = $1 AND lower(email) = ANY ($2::text[]) AND ended_at IS NULL RETURNING id`,
      [accountId, await this.encryption.formsOf(accountId, email, tx), now],
    );
    return rows[0]?.id ?? null;
  }

  /** Deletes expired invitations of all accounts. Only for the scheduled clean-up. */
  deleteExpired(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const expired = { table: 'invite', key: ['account_id', 'id'], condition: 'old.expires_at <= $1', values: [before] };
    return deleteSome(this.database, tx, expired, limit);
  }

  /** Locks unencrypted invitations of all accounts that have an encryption key. Only for the scheduled encryption. */
  override lockInClear(tx: EntityManager, after: InviteKey | null, limit: number): Promise<Invite[]> {
    const from = after ?? { accountId: '', id: '' };
    const read = (account?: string) =>
      tx
        .createQueryBuilder(Invite, 'invite')
        .where('(invite.accountId, invite.id) > (:accountId, :id) AND invite.personal IS NULL', from)
        .andWhere(this.hasKey('invite', account), { account })
        .orderBy('invite.accountId')
        .addOrderBy('invite.id')
        .limit(limit);
    return lockedPage(this.database, read, (rows) => rows.setLock('for_no_key_update').setOnLocked('skip_locked'));
  }

  /**
   * Encrypts a locked invitation. Does nothing if a node of an older version has stored another invitation of the same
   * e-mail address.
   */
  override async encrypt(tx: EntityManager, invite: Invite): Promise<string | null> {
    const { accountId, id, email, endedAt } = invite;
    const forms = await this.encryption.formsOf(accountId, email, tx);
    const others = await tx.query<unknown[]>(
      `SELECT FROM invite WHERE account_id = $1 AND lower(email) = ANY ($2::text[]) AND ended_at IS NULL AND id <> $3`,
      [accountId, forms, id],
    );
    if (!endedAt && others.length > 0) return `Invitation ${id} of ${accountId} has the address of another.`;
    await tx.update(Invite, { accountId, id }, await this.encryption.columnsOf(tx, invite));
    return null;
  }

  private async named(rows: Stored[]): Promise<InviteWithNames | null> {
    const [invite] = await this.encryption.openAll(rows);
    if (!invite) return null;
    const names = await this.users.namesOf([invite.invitedBy]);
    return { ...invite, inviterName: names.get(invite.invitedBy) ?? null };
  }
}
