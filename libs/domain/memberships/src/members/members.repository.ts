import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, firstAccountOfJson, isUniqueViolation, lockedRows, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { PersonalData } from '@passwright/accounts';
import { MemberEncryptionService, type PersonalColumns } from './member-encryption.service.js';
import { Member } from './member.entity.js';
import { MemberExists } from './members.errors.js';

/** The greatest possible id; Postgres rejects queries for greater numbers. */
export const maxMemberId = 2 ** 31 - 1;

/**
 * SQL condition for unencrypted members. Its second part lets Postgres use the partial index `member_in_clear_idx`. An
 * index on `personal` would slow down every update of a member.
 */
const isInClear = `member.personal IS NULL AND member.email LIKE '%@%'`;

/** A member without the columns that the repository computes. */
export type MemberRow = Omit<Member, 'search' | 'personal' | 'salt'>;

/** All queries on the table `member`, except queries for lists and for due members. */
@Injectable()
export class MembersRepository {
  constructor(
    private readonly database: Database,
    private readonly encryption: MemberEncryptionService,
    private readonly keys: PersonalData,
  ) {}

  async find(accountId: string, id: number): Promise<Member | null> {
    return id > maxMemberId
      ? null
      : this.encryption.open(await this.database.reads.findOneBy(Member, { accountId, id }));
  }

  /** Finds a member and locks it until the transaction ends. Lock its template first: see `settings-lock.ts`. */
  async lock(tx: EntityManager, accountId: string, id: number): Promise<Member | null> {
    const found = () => tx.createQueryBuilder(Member, 'member').where({ accountId, id });
    const [member] = await lockedRows(this.database, found, (rows) => rows.setLock('pessimistic_write'));
    return this.encryption.open(member ?? null, tx);
  }

  /** Inserts members of one account in one statement. @throws MemberExists */
  async insert(tx: EntityManager, members: readonly MemberRow[]): Promise<void> {
    await this.rejectTaken(tx, members);
    await tx.query(insertSql, [await this.rowsOf(tx, members)]).catch(toMemberExists);
  }

  /** Writes a locked member. @throws MemberExists if its e-mail belongs to another member */
  async update(tx: EntityManager, member: MemberRow): Promise<void> {
    await this.rejectTaken(tx, [member]);
    await this.write(tx, [member]).catch(toMemberExists);
  }

  async delete(tx: EntityManager, { accountId, id }: MemberRow): Promise<void> {
    await tx.delete(Member, { accountId, id });
  }

  /** Locks unencrypted members with ids greater than `after`, and skips those that another transaction has locked. */
  lockInClear(tx: EntityManager, accountId: string, after: number, limit: number): Promise<Member[]> {
    const inClear = () =>
      tx
        .createQueryBuilder(Member, 'member')
        .where(`member.accountId = :accountId AND member.id > :after AND ${isInClear}`, { accountId, after })
        .orderBy('member.id')
        .limit(limit);
    return lockedRows(this.database, inClear, (rows) => rows.setLock('pessimistic_write').setOnLocked('skip_locked'));
  }

  /**
   * Returns the ids of unencrypted members who share their e-mail with an encrypted member. This happens only while a
   * node of an older version creates members.
   */
  async findTwins(tx: EntityManager, accountId: string, members: readonly Member[]): Promise<Set<number>> {
    const key = await this.keys.find(accountId, tx);
    if (!key || members.length === 0) return new Set();
    const indexes = new Map(members.map(({ id, email }) => [key.indexOf(email), id]));
    const sql = 'SELECT email FROM member WHERE account_id = $1 AND lower(email) = ANY ($2::text[])';
    const rows = await tx.query<{ email: string }[]>(sql, [accountId, [...indexes.keys()]]);
    return new Set(rows.flatMap(({ email }) => indexes.get(email) ?? []));
  }

  /**
   * Returns true if the account has unencrypted members. First waits for transactions that are writing such members.
   */
  async hasInClear(tx: EntityManager, accountId: string): Promise<boolean> {
    await tx.query(lockInClearSql, [accountId]);
    const sql = `SELECT FROM member WHERE account_id = $1 AND ${isInClear} LIMIT 1`;
    return (await tx.query<unknown[]>(sql, [accountId])).length > 0;
  }

  /** Encrypts locked members. Changes no other column, so that listeners to member changes are not called. */
  async encrypt(tx: EntityManager, members: readonly Member[]): Promise<void> {
    await tx.query(`SET LOCAL passwright.encrypting = 'on'`);
    await this.write(tx, members);
    await tx.query(`SET LOCAL passwright.encrypting = ''`);
  }

  /** Finds the members with these e-mail addresses, regardless of case, keyed by the address in lower case. */
  async findByEmails(tx: EntityManager, accountId: string, emails: readonly string[]): Promise<Map<string, Member>> {
    const key = await this.keys.find(accountId, tx);
    const members = await tx
      .createQueryBuilder(Member, 'member')
      .where('member.accountId = :accountId AND lower(member.email) = ANY(:emails::text[])', {
        accountId,
        emails: emails.flatMap((email) => key?.formsOf(email) ?? [email.toLowerCase()]),
      })
      .getMany();
    await this.encryption.openAll(members, tx);
    return new Map(members.map((member) => [member.email.toLowerCase(), member]));
  }

  private async write(tx: EntityManager, members: readonly MemberRow[]): Promise<void> {
    await perAccount(this.database, members, async (some, write) =>
      tx.query<never[]>(write(updateSql, firstAccountOfJson), [await this.rowsOf(tx, some)]),
    );
  }

  private async rowsOf(tx: EntityManager, members: readonly MemberRow[]): Promise<string> {
    const columns = await this.encryption.columnsOf(tx, members);
    return JSON.stringify(members.map((member, index) => toColumns(member, columns[index])));
  }

  /**
   * Rejects e-mails that other members have. An e-mail may be stored encrypted or unencrypted, and the unique index
   * cannot compare the two forms. While an account may have unencrypted members, this method checks both forms under a
   * lock. @throws MemberExists
   */
  private async rejectTaken(tx: EntityManager, members: readonly MemberRow[]): Promise<void> {
    const [first] = members;
    if (!first || (await this.keys.find(first.accountId, tx))?.isComplete) return;
    const { accountId } = first;
    const emails = members.map(({ email }) => email.toLowerCase());
    await tx.query(lockEmailsSql, [accountId, emails.map((email) => createHash('sha256').update(email).digest()[0])]);
    // Look for the key only after taking the lock, because the account may get its key during the wait.
    const key = await this.keys.find(accountId, tx);
    const forms = emails.flatMap((email) => key?.formsOf(email) ?? [email]);
    const taken = await tx.query<unknown[]>(takenSql, [accountId, forms, members.map(({ id }) => id)]);
    if (taken.length > 0) throw new MemberExists();
  }

  /**
   * Reserves the next ids. Because ids have no gaps, other creations in the account wait until `tx` ends. So call this
   * method as late as possible. @returns the first of `count` ids
   */
  async nextIds(tx: EntityManager, accountId: string, count: number): Promise<number> {
    const [rows] = await tx.query<[{ last_member_id: number }[], number]>(
      'UPDATE membership_settings SET last_member_id = last_member_id + $2 WHERE account_id = $1 RETURNING last_member_id',
      [accountId, count],
    );
    const last = rows[0]?.last_member_id;
    if (last === undefined) throw new Error('Members are made by settings that are locked');
    return last - count + 1;
  }
}

function toColumns(member: MemberRow, personal: PersonalColumns | undefined): object {
  return {
    account_id: member.accountId,
    id: member.id,
    template_id: member.templateId,
    pass_id: member.passId,
    status: member.status,
    expires_at: member.expiresAt,
    reminders_sent: member.remindersSent,
    reminded_until: member.remindedUntil,
    due_at: member.dueAt,
    version: member.version,
    created_at: member.createdAt,
    updated_at: member.updatedAt,
    ...personal,
  };
}

const rows = `json_to_recordset($1::json) AS m(
  account_id text, id integer, template_id text, pass_id text, email text, name text, status text, data jsonb,
  expires_at timestamptz, reminders_sent jsonb, reminded_until timestamptz, due_at timestamptz, version integer,
  created_at timestamptz, updated_at timestamptz, personal text, lexemes text[])`;

/**
 * SQL that inserts members. RETURNING keeps Citus from inserting the rows by COPY, because a failed COPY has no SQL
 * state.
 */
const insertSql = `
  INSERT INTO member (account_id, id, template_id, pass_id, email, name, status, data, expires_at, reminders_sent,
    reminded_until, due_at, version, created_at, updated_at, personal, search)
  SELECT account_id, id, template_id, pass_id, email, name, status, data, expires_at, reminders_sent,
    reminded_until, due_at, version, created_at, updated_at, decode(personal, 'hex'), array_to_tsvector(lexemes)
  FROM ${rows} RETURNING id`;

const updateSql = `
  UPDATE member SET email = m.email, name = m.name, status = m.status, data = m.data, expires_at = m.expires_at,
    reminders_sent = m.reminders_sent, reminded_until = m.reminded_until, due_at = m.due_at, version = m.version,
    updated_at = m.updated_at, personal = decode(m.personal, 'hex'), search = array_to_tsvector(m.lexemes)
  FROM ${rows} WHERE member.account_id = m.account_id AND member.id = m.id`;

/**
 * Takes the same lock as a trigger on `member`. Reads from `membership_settings`, so that Citus takes the lock on the
 * account's server.
 */
const lockInClearSql = `
  SELECT pg_advisory_xact_lock(hashtextextended('members in clear/' || account_id, 4172839))
  FROM membership_settings WHERE account_id = $1`;

/**
 * SQL that locks e-mail addresses. Each address maps to one of 256 locks of the account, so that an import takes at
 * most 256 locks.
 */
const lockEmailsSql = `
  SELECT pg_advisory_xact_lock(hashtextextended('member email/' || $1 || '/' || n, 4172839))
  FROM (SELECT DISTINCT n FROM unnest($2::int[]) AS n ORDER BY n) AS locks`;

const takenSql = `
  SELECT FROM member WHERE account_id = $1 AND lower(email) = ANY ($2::text[]) AND id <> ALL ($3::int[]) LIMIT 1`;

function toMemberExists(error: unknown): never {
  throw isUniqueViolation(error, 'member_email_key', ['account_id', 'lower(email)']) ? new MemberExists() : error;
}
